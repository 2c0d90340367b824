export { type Config, ConfigError, parseConfig, readConfig } from './config.ts';
export { findMasterKey, masterKeyOf } from './master-key.ts';
export { settingsDoc } from './settings-doc.ts';

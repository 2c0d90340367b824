export { type Config, ConfigError, parseConfig, readConfig } from './config.ts';
export { lookalikes, toldLookalike } from './lookalikes.ts';
export { findMasterKey, masterKeyOf } from './master-key.ts';
export { isStartedByNpm } from './npm-variables.ts';
export { settingsDoc } from './settings-doc.ts';

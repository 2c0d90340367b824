export { type Config, ConfigError, parseConfig, readConfig } from './config.ts';
export { settingsDoc } from './settings-doc.ts';

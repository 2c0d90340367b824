import packageJson from '../../package.json' with { type: 'json' };

/** Version of the service, as in package.json. */
export const VERSION: string = packageJson.version;

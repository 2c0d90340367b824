/** Variables of the command line, not settings of the service: a shell that has them can start the service all the same. */
export const CLIENT_VARIABLES = [
  'POSTHORN_URL',
  'POSTHORN_KEY',
  'POSTHORN_PROFILE',
  'POSTHORN_SIGNING_SECRET',
] as const;

/** What the command line takes from the environment; undefined for what is absent or empty. */
export interface ClientVariables {
  url: string | undefined;
  /** PH_URL, PH_TOKEN, PH_EMAIL and PH_PASSWORD, which import and export have read since before there were the others. */
  old: Record<'url' | 'token' | 'email' | 'password', string | undefined>;
  key: string | undefined;
  profile: string | undefined;
  signingSecret: string | undefined;
  /** XDG_CONFIG_HOME, or APPDATA on Windows: where programs keep their files. */
  configHome: string | undefined;
}

/** Reads them as they are now. */
export function readClientVariables(env: NodeJS.ProcessEnv = process.env): ClientVariables {
  const of = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  return {
    url: of('POSTHORN_URL'),
    old: { url: of('PH_URL'), token: of('PH_TOKEN'), email: of('PH_EMAIL'), password: of('PH_PASSWORD') },
    key: of('POSTHORN_KEY'),
    profile: of('POSTHORN_PROFILE'),
    signingSecret: of('POSTHORN_SIGNING_SECRET'),
    configHome: of('XDG_CONFIG_HOME') ?? of('APPDATA'),
  };
}

import { Command } from 'commander';
import { action } from '../action.ts';
import { connect, connectedAs, DEFAULT_URL, type GlobalOptions, isKey, normalUrl } from '../connection/connect.ts';
import { changeProfile, credentialsFile, type Profile } from '../connection/credentials-file.ts';
import { readHealth } from '../connection/health.ts';
import { isSameSeries, VERSION } from '../connection/version.ts';
import { failureOfSignIn, wrongUse } from '../failure.ts';
import { revokeListeningKeys } from '../listen/keys.ts';
import { askLine, askPassword, readStdin } from '../output/ask.ts';
import { printDone, remark } from '../output/print.ts';
import { keyHint } from '../../lib/credentials.ts';

/** Signing in and out is about what is kept, whatever key the shell has. */
const WITHOUT_KEY = { anonymous: true, withoutKeyOfShell: true };

interface Options extends GlobalOptions {
  email?: string;
  passwordStdin?: boolean;
  keyStdin?: boolean;
}

/** Asked for only where a person sits, who has not said it otherwise. */
async function urlOf(options: Options): Promise<string> {
  const known = await connect(options, WITHOUT_KEY);
  const isSaid = options.url !== undefined || known.url !== DEFAULT_URL || known.profile !== undefined;
  if (isSaid || !process.stdin.isTTY || options.email !== undefined || options.key !== undefined) return known.url;
  return normalUrl(await askLine('Address of the service:', '--url', DEFAULT_URL));
}

async function withKey(options: Options, url: string): Promise<Profile> {
  const key = options.keyStdin ? await readStdin() : options.key;
  const connection = await connect({ ...options, url, ...(key === undefined ? {} : { key }) }, WITHOUT_KEY);
  const { credential } = connection;
  if (credential === undefined) throw wrongUse('--key: there is no key');
  // Any key and any session may ask this: it shows that the credential is good.
  if (isKey(credential)) await connection.client.listEventTypes();
  else await connection.client.getMe();
  return { url, credential };
}

async function withPassword(options: Options, url: string): Promise<Profile> {
  const { client } = await connect({ url }, WITHOUT_KEY);
  const email = options.email ?? (await askLine('E-mail:', '--email (or --key)'));
  const password = options.passwordStdin
    ? await readStdin()
    : await askPassword('Password:', '--password-stdin (or --key)');
  const { accessToken, expiresAt, user } = await client
    .signIn({ body: { email, password } })
    .catch((error: unknown) => {
      throw failureOfSignIn(error);
    });
  return { url, credential: accessToken, email: user.email ?? email, expiresAt };
}

async function logIn(options: Options): Promise<void> {
  const url = await urlOf(options);
  const { version } = await readHealth(url);
  if (!isSameSeries(version))
    remark(`The service is Posthorn ${version ?? 'of an older version'}, this program is ${VERSION}.`);
  const isByKey = options.key !== undefined || options.keyStdin === true;
  const profile = await (isByKey ? withKey(options, url) : withPassword(options, url));
  const { profileName } = await connect({ ...options, url }, WITHOUT_KEY);
  // The secrets of `listen` are those of the service, whoever signs in.
  let left: string[] = [];
  await changeProfile(profileName, (before) => {
    if (before?.url === url) return before.listening ? { ...profile, listening: before.listening } : profile;
    left = Object.values(before?.listening ?? {}).map(({ keyId }) => keyId);
    return profile;
  });
  if (left.length > 0)
    remark(`Keys made by "posthorn listen" at the address of before are still valid there: ${left.join(', ')}`);
  const who = profile.email ?? (isKey(profile.credential) ? keyHint(profile.credential) : 'an access token');
  printDone(`Signed in at ${url} as ${who}. Kept in ${credentialsFile()}`, { url, who, profile: profileName }, options);
}

/** `posthorn login`. */
export const loginCommand = (): Command =>
  new Command('login')
    .description('Sign in, and keep the access token, or keep an API key (--key).')
    .option('--email <email>', 'sign in as this user')
    .option('--password-stdin', 'read the password from standard input')
    .option('--key-stdin', 'read an API key or access token from standard input')
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn login                                    asks for address, e-mail and password
  $ posthorn login --url https://hooks.example.com --key ph_live_…
  $ posthorn login --profile staging --url https://staging.example.com`,
    )
    .action(action(logIn));

async function logOut(options: GlobalOptions): Promise<void> {
  const connection = await connect(options, WITHOUT_KEY);
  const { profile, profileName, url } = connection;
  if (!profile) return printDone(`Nobody was signed in at ${url}.`, { url, signedOut: false }, options);
  const kept = connectedAs(connection, profile.credential);
  await revokeListeningKeys(kept, profile);
  if (!isKey(profile.credential)) {
    // An expired session, or a service that is gone, must not keep the file from being cleared.
    const signedOut = kept.client.signOut({}, { maxRetries: 0 });
    await signedOut.catch((error: Error) => remark(`The service did not end the session: ${error.message}`));
  }
  await changeProfile(profileName, () => null);
  printDone(`Signed out at ${url}.`, { url, signedOut: true }, options);
}

/** `posthorn logout`. */
export const logoutCommand = (): Command =>
  new Command('logout')
    .description('End the session, revoke the keys that "listen" made, and forget the credential.')
    .action(action(logOut));

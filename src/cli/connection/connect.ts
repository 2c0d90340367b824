import { type Client, createClient } from '../../../client/src/index.ts';
import { isApiKey, isSessionToken } from '../../lib/credentials.ts';
import { systemClock } from '../../lib/clock.ts';
import { readClientVariables } from '../../platform/config/client-variables.ts';
import { EXIT } from '../exit-codes.ts';
import { Failure, wrongUse } from '../failure.ts';
import { interruption } from '../interrupt.ts';
import { type Profile, readProfiles } from './credentials-file.ts';
import { listeningFetch } from './service-clock.ts';

/** Options of every command. */
export interface GlobalOptions {
  url?: string;
  key?: string;
  profile?: string;
  json?: boolean;
}

/** A service as somebody. */
export interface Connection {
  client: Client;
  url: string;
  credential: string | undefined;
  /** Name of the profile in use, whether or not it is kept. */
  profileName: string;
  /** What is kept under this name for this service; its credential may be another. */
  profile: Profile | undefined;
}

export const DEFAULT_URL = 'http://127.0.0.1:3000';
const DEFAULT_PROFILE = 'default';

/** Of a request that passes: an import goes on over a restart of the service. */
const PATIENT_RETRIES = 5;

/** The address that errors speak of. */
let spokenTo = DEFAULT_URL;
export const currentUrl = (): string => spokenTo;

/** An address as it is compared and shown; without a scheme it is http. Fails for what is none. */
export function normalUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url) || /\s/.test(text)) throw wrongUse(`--url: ${text} is not an address`);
  return url.replace(/\/+$/, '');
}

function checkCredential(credential: string, from: '--key' | 'POSTHORN_KEY'): string {
  const looksLike = credential.startsWith('ph_');
  if (looksLike && !isApiKey(credential)) throw wrongUse(`${from}: the API key is mistyped or cut off`);
  if (!/^[\x21-\x7e]+$/.test(credential)) throw wrongUse(`${from}: it has characters that no credential has`);
  return credential;
}

/** Every call ends with Ctrl-C, unless it has a signal of its own. */
function interruptible(client: Client): Client {
  const methods = Object.entries(client) as [string, (input: unknown, call: object) => unknown][];
  return Object.fromEntries(
    methods.map(([id, method]) => [
      id,
      (input: unknown, call: object = {}) => method(input, { signal: interruption, ...call }),
    ]),
  ) as unknown as Client;
}

const clientOf = (url: string, credential: string | undefined, maxRetries?: number): Client =>
  interruptible(
    createClient({
      baseUrl: url,
      fetch: listeningFetch,
      headers: { 'user-agent': 'posthorn-cli' },
      ...(credential === undefined ? {} : { credential }),
      ...(maxRetries === undefined ? {} : { maxRetries }),
    }),
  );

function checkAge({ email, expiresAt }: Profile, name: string): void {
  if (expiresAt === undefined || Date.parse(expiresAt) > systemClock.now()) return;
  const profile = name === DEFAULT_PROFILE ? '' : ` --profile ${name}`;
  throw new Failure(
    `the sign-in of ${email ?? 'this profile'} has expired: run "posthorn login${profile}"`,
    EXIT.NOT_ALLOWED,
  );
}

export interface ConnectOptions {
  /** Nobody has to be signed in. */
  anonymous?: boolean;
  /** Who acts is said in another way, so a key of the environment is left aside, whatever it is. */
  withoutKeyOfShell?: boolean;
  /** A long work goes on over a restart of the service. */
  patient?: boolean;
  /** Where the service is, when nothing names it. */
  otherwise?: string;
}

/**
 * The service that options, environment and profile name, in this order. A kept credential is only ever given to the
 * service that it was kept for. Fails when there is none, or its time is over.
 */
export async function connect(options: GlobalOptions, how: ConnectOptions = {}): Promise<Connection> {
  const variables = readClientVariables();
  const profileName = options.profile ?? variables.profile ?? DEFAULT_PROFILE;
  const kept = (await readProfiles())[profileName];
  // A profile that an option names is taken as it is: the key of another service must not go to its address.
  const { url: urlOfShell, key: keyOfShell } =
    options.profile !== undefined && kept ? { url: undefined, key: undefined } : variables;
  const isNamed = options.profile !== undefined || variables.profile !== undefined;
  if (isNamed && !kept && !how.anonymous) {
    throw new Failure(
      `there is no profile ${profileName}: run "posthorn login --profile ${profileName}"`,
      EXIT.NOT_ALLOWED,
    );
  }
  const url = normalUrl(options.url ?? urlOfShell ?? kept?.url ?? how.otherwise ?? DEFAULT_URL);
  spokenTo = url;
  const profile = kept?.url === url ? kept : undefined;
  const given = options.key ?? (how.withoutKeyOfShell ? undefined : keyOfShell);
  const credential =
    given === undefined
      ? profile?.credential
      : checkCredential(given, options.key === undefined ? 'POSTHORN_KEY' : '--key');
  if (given === undefined && profile && !how.anonymous) checkAge(profile, profileName);
  if (credential === undefined && !how.anonymous) {
    throw new Failure(
      `nobody is signed in at ${url}: run "posthorn login", or give an API key with --key or POSTHORN_KEY`,
      EXIT.NOT_ALLOWED,
    );
  }
  const client = clientOf(url, credential, how.patient ? PATIENT_RETRIES : undefined);
  return { client, url, credential, profileName, profile };
}

/** The same service as somebody else. */
export const connectedAs = (connection: Connection, credential: string, patient = false): Connection => ({
  ...connection,
  credential,
  client: clientOf(connection.url, credential, patient ? PATIENT_RETRIES : undefined),
});

/** Whether a credential is an API key; else it is somebody's access token. */
export const isKey = (credential: string | undefined): boolean =>
  credential !== undefined && credential.startsWith('ph_') && !isSessionToken(credential);

/** Every environment variable that the service reads, as data: parsing, docs/settings.md and `posthorn doctor` use this. */

/**
 * `cidrs`: a list of CIDRs and addresses; `servers`: a list of addresses, each with a port or without; `origins`: a list of
 * origins of pages, or `*`; `web-url`: http or
 * https, to which paths are appended; `urls`: a list of addresses; `colour`: `#rrggbb`; `language`: a BCP 47 tag; `count`: an integer, or `auto`.
 */
export type SettingKind =
  | 'string'
  | 'integer'
  | 'count'
  | 'boolean'
  | 'cidrs'
  | 'servers'
  | 'origins'
  | 'url'
  | 'urls'
  | 'web-url'
  | 'colour'
  | 'language';

export interface Setting {
  kind: SettingKind;
  /** As written in the environment; absent: the setting is optional and has no value. */
  default?: string;
  /** Inclusive bounds of an integer or a count; of CIDRs `min` is the shortest prefix. */
  min?: number;
  max?: number;
  oneOf?: readonly string[];
  /** Of a URL: those that it may begin with, and one that is right. */
  schemes?: readonly string[];
  example?: string;
  secret?: boolean;
  description: string;
}

const seconds = (
  value: number,
  description: string,
  min = 1,
  max = 2_592_000,
): Setting & { kind: 'integer'; default: string } => ({
  kind: 'integer',
  default: String(value),
  min,
  max,
  description: `${description} Seconds.`,
});

const perMinute = (value: number, description: string): Setting & { kind: 'integer'; default: string } => ({
  kind: 'integer',
  default: String(value),
  min: 1,
  max: 100_000_000,
  description: `${description} Requests per minute.`,
});

const POSTGRES = {
  kind: 'url',
  schemes: ['postgres', 'postgresql'],
  example: 'postgres://user@host:5432/name',
} as const;

export const SETTINGS = {
  HOST: { kind: 'string', default: '127.0.0.1', description: 'Address to listen on; `0.0.0.0` for every interface.' },
  PORT: {
    kind: 'integer',
    default: '3000',
    min: 0,
    max: 65_535,
    description: 'Port to listen on; 0 takes a free one.',
  },
  WEB_CONCURRENCY: {
    kind: 'count',
    default: '1',
    min: 1,
    max: 64,
    description:
      'Processes that serve HTTP on this machine (docs/operations/sizing.md); `auto`: as many as there are cores, with the embedded database, or as a worker without `FANOUT_PARTITIONS`, one. More than one needs `DATABASE_URL`.',
  },
  POSTHORN_ENV: {
    kind: 'string',
    default: 'development',
    oneOf: ['development', 'production', 'test'],
    description: 'In `production` nothing is made up: no demo, no generated master key, https targets only.',
  },
  POSTHORN_PUBLIC_URL: {
    kind: 'web-url',
    description:
      'Address under which the outside reaches the service: `http` or `https`, without user name, query or fragment. Default: where it listens.',
  },
  POSTHORN_DATA_DIR: {
    kind: 'string',
    default: '.data',
    description: 'Folder of the embedded database and of generated secrets.',
  },
  DATABASE_URL: {
    ...POSTGRES,
    secret: true,
    description: 'PostgreSQL ≥ 15, a database of the encoding UTF8. Absent: embedded PGlite in the data folder.',
  },
  DATABASE_POOL: {
    kind: 'integer',
    default: '10',
    min: 2,
    max: 200,
    description: 'Connections to PostgreSQL per process.',
  },
  DATABASE_POOLED: {
    kind: 'boolean',
    description:
      'Whether `DATABASE_URL` is the address of a pooler in transaction mode: then nothing is used that outlasts a transaction. Default: found out at the start; any pooler is taken for one.',
  },
  DATABASE_LISTEN_URL: {
    ...POSTGRES,
    secret: true,
    description:
      'Address of PostgreSQL itself, for one connection that listens for wake-ups; not used with `NATS_URL`. Absent: `DATABASE_URL`; when that is a pooler’s, nodes poll.',
  },
  READ_DATABASE_URL: {
    ...POSTGRES,
    secret: true,
    description:
      'Streaming replica of `DATABASE_URL`, or several behind one address, for public reads and counts (docs/operations.md); `DATABASE_POOL` is for each of both. Absent: the primary reads.',
  },
  READ_DATABASE_POOLED: {
    kind: 'boolean',
    description: 'The same as `DATABASE_POOLED` of `READ_DATABASE_URL`.',
  },
  READ_DATABASE_WAIT_MS: {
    kind: 'integer',
    default: '100',
    min: 0,
    max: 5000,
    description:
      'How late the replica may be: a read waits so long for it to show what was committed before, and then goes to the primary. Milliseconds.',
  },
  NATS_URL: {
    kind: 'urls',
    schemes: ['nats', 'tls'],
    example: 'nats://host:4222',
    secret: true,
    description:
      'NATS server, `nats://host:4222`, or several of one cluster with commas between, for wake-ups between nodes; `nats://user:password@…` or `nats://token@…`, percent-encoded and the same for all of them; `tls://name…` requires TLS. Absent: LISTEN/NOTIFY.',
  },
  NATS_STREAM: {
    kind: 'string',
    default: 'posthorn',
    description:
      'Name of the stream of `WEBHOOK_DISPATCH=jetstream`: letters, digits, `-` and `_`. Each installation that shares a NATS server needs its own.',
  },
  NATS_REPLICAS: {
    kind: 'string',
    default: '1',
    oneOf: ['1', '3', '5'],
    description:
      'Servers that keep each message of the stream. It is in their memory only, and nothing is lost with it.',
  },
  REDIS_URL: {
    kind: 'url',
    schemes: ['redis', 'rediss'],
    example: 'redis://host:6379',
    secret: true,
    description:
      'Redis for rate limits shared by all nodes, `redis://user:password@host:6379/0`. Each installation that shares a Redis needs a database of its own (the number at the end). Absent: each node counts for itself.',
  },
  POSTHORN_MASTER_KEY: {
    kind: 'string',
    secret: true,
    description:
      '32 bytes in base64 that encrypt stored secrets. Generated into the data folder when embedded, required otherwise.',
  },
  POSTHORN_OPERATOR_EMAIL: { kind: 'string', description: 'First operator, created when no operator exists.' },
  POSTHORN_OPERATOR_PASSWORD: {
    kind: 'string',
    secret: true,
    description: 'Password of the first operator (12 to 200 characters).',
  },
  POSTHORN_DEMO: {
    kind: 'boolean',
    description: 'Demo content on an empty embedded database. Default: yes in development, never elsewhere.',
  },
  POSTHORN_SIGN_UP: { kind: 'boolean', default: 'true', description: 'Whether readers may sign up by themselves.' },
  POSTHORN_ALLOWED_TARGETS: {
    kind: 'cidrs',
    description:
      'Comma-separated CIDRs or addresses that webhooks, and the fetching of `POSTHORN_OIDC_JWKS_URL`, may reach besides public addresses. Default outside of production: loopback.',
  },
  POSTHORN_NAME_SERVERS: {
    kind: 'servers',
    description:
      'Comma-separated name servers that are asked where webhooks go, `address` or `address:port` (`[IPv6]:port`); the hosts file is not asked then. Default: those of the system.',
  },
  POSTHORN_OIDC_ISSUER: {
    kind: 'url',
    schemes: ['https', 'http'],
    example: 'https://id.example.com',
    description: 'Issuer of the marketplace’s identity provider; its JWTs are accepted as sessions.',
  },
  POSTHORN_OIDC_JWKS_URL: {
    kind: 'url',
    schemes: ['https', 'http'],
    example: 'https://id.example.com/keys',
    description: 'Key set of that issuer; `http` in development only, and by the rules of `POSTHORN_ALLOWED_TARGETS`.',
  },
  POSTHORN_OIDC_AUDIENCE: { kind: 'string', description: 'Audience that those tokens must name.' },
  SMTP_URL: {
    kind: 'url',
    schemes: ['smtp', 'smtps'],
    example: 'smtp://user:password@host:587',
    secret: true,
    description:
      'Mail server, `smtp://user:password@host:587` or `smtps://…`; a password is sent over TLS only. Absent: nobody gets e-mail.',
  },
  SMTP_FROM: {
    kind: 'string',
    description: 'Sender of e-mails, `no-reply@example.com` or `Shop <no-reply@example.com>`.',
  },
  LOG_LEVEL: {
    kind: 'string',
    oneOf: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    description: 'Least level that is logged. Default: `info`; on a terminal with the demo `warn`.',
  },
  CORS_ORIGINS: {
    kind: 'origins',
    description:
      'Comma-separated origins (`https://shop.example`) whose pages may use the API in browsers, by a key or an access token; `*` for all. Absent: pages of this origin only.',
  },
  TRUST_PROXY: {
    kind: 'cidrs',
    min: 1,
    description:
      'Comma-separated CIDRs or addresses of proxies whose X-Forwarded-For is believed. Not `/0`: then every client could name any address as its own.',
  },
  SESSION_SECONDS: seconds(1_209_600, 'Lifetime of a session.', 60),
  SHUTDOWN_SECONDS: seconds(10, 'Longest graceful shutdown.', 1, 300),
  DRAIN_SECONDS: seconds(
    0,
    'Before the shutdown: so long a node that was asked to stop serves on, while `/readyz` says 503, so that a balancer turns to the others.',
    0,
    300,
  ),
  BODY_LIMIT_BYTES: {
    kind: 'integer',
    default: '2097152',
    min: 1024,
    max: 104_857_600,
    description: 'Largest request body. Bytes.',
  },
  RATE_LIMIT_KEY: perMinute(6000, 'Per API key; without `REDIS_URL` in each of the processes of `WEB_CONCURRENCY`.'),
  RATE_LIMIT_SESSION: perMinute(600, 'Per session user.'),
  RATE_LIMIT_ANONYMOUS: perMinute(600, 'Per IP without credential; IPv6 by /64.'),
  RATE_LIMIT_SIGN_IN: perMinute(10, 'Sign-in and sign-up per IP and account.'),
  RATE_LIMIT_COMMENTS: perMinute(20, 'New comments per user.'),
  PASSWORD_HASH_COST: {
    kind: 'integer',
    default: '15',
    min: 10,
    max: 20,
    description:
      'How dear a password is to guess: log2 of N of scrypt. 15 takes 32 MiB and some 80 ms for each sign-in, each more doubles both. A hash stays as it was made until its user sets a new password: after a change, how long a wrong sign-in takes tells for whom one of before is kept. Less than 15 is for tests.',
  },
  BLOG_CACHE_MB: {
    kind: 'integer',
    default: '64',
    min: 0,
    max: 65_536,
    description:
      'Memory for ready-made replies of the public blog and pages made of them (a quarter), per process; 0: every request asks the database.',
  },
  SITE: {
    kind: 'boolean',
    default: 'true',
    description: 'Whether the public pages of the blog are served, at `/blog` (docs/site.md).',
  },
  SITE_TITLE: { kind: 'string', default: 'Posthorn', description: 'Name of the public site.' },
  SITE_DESCRIPTION: { kind: 'string', description: 'What the public site is about, in a sentence.' },
  SITE_LANGUAGE: {
    kind: 'language',
    default: 'en',
    description: 'Language of the posts, and of the dates on the public site: a BCP 47 tag such as `en` or `de-AT`.',
  },
  SITE_ACCENT: {
    kind: 'colour',
    default: '#0b6e6e',
    description:
      'Colour of links and buttons of the public site. Made darker, in dark mode lighter, as far as it takes to be readable.',
  },
  SITE_LOGO_URL: { kind: 'web-url', description: 'Image that stands for the name at the top of each public page.' },
  WEBHOOK_TIMEOUT_SECONDS: seconds(15, 'One attempt over connect, headers and body.', 1, 60),
  WEBHOOK_MAX_ENDPOINTS: { kind: 'integer', default: '50', min: 1, max: 10_000, description: 'Endpoints per account.' },
  WEBHOOK_MAX_IN_FLIGHT: {
    kind: 'integer',
    default: '16',
    min: 1,
    max: 1000,
    description: 'Requests under way per endpoint, unless it says otherwise.',
  },
  WEBHOOK_WORKER_IN_FLIGHT: {
    kind: 'integer',
    default: '1024',
    min: 1,
    max: 100_000,
    description: 'Requests under way per process.',
  },
  WEBHOOK_DISABLE_AFTER_HOURS: {
    kind: 'integer',
    default: '120',
    min: 1,
    max: 8760,
    description: 'An endpoint from which nothing but failures came back for this long is disabled.',
  },
  WEBHOOK_PROBE_MINUTES: {
    kind: 'integer',
    default: '60',
    min: 1,
    max: 1440,
    description:
      'Wait before a disabled endpoint is tried with one held delivery; it doubles with each failure, up to a day.',
  },
  WEBHOOK_SENDER_THREADS: {
    kind: 'integer',
    min: 0,
    max: 64,
    description:
      'Threads that sign and send webhooks; 0 sends from the main thread. Default: one less than there are cores, at most 4.',
  },
  FANOUT_PARTITIONS: {
    kind: 'string',
    default: '1',
    oneOf: ['1', '2', '4', '8', '16', '32', '64'],
    description:
      'Parts by account into which sending is divided among all workers (docs/operations/sizing.md). The highest number that any worker had is that of all; it is never lowered.',
  },
  WEBHOOK_DISPATCH: {
    kind: 'string',
    default: 'postgres',
    oneOf: ['postgres', 'jetstream'],
    description:
      'Who makes the attempts of an account: the worker that has its part of the fan-out, or, by `jetstream` of `NATS_URL`, all workers (docs/operations/sizing.md).',
  },
  WEBHOOK_HAND_OVER: {
    kind: 'string',
    default: 'excess',
    oneOf: ['excess', 'share'],
    description:
      'With `WEBHOOK_DISPATCH=jetstream`, what a worker hands to others: what it has no room for itself (`excess`), or of everything so much that each makes its share (`share`), which costs more for each delivery.',
  },
  WEBHOOK_MEMORY_BACKLOG: {
    kind: 'integer',
    default: '20000',
    min: 1,
    max: 1_000_000,
    description: 'Deliveries waiting in memory per process before the rest is written as PENDING.',
  },
  DELIVERY_RETENTION_DAYS: {
    kind: 'integer',
    default: '90',
    min: 0,
    max: 36_500,
    description:
      'How long deliveries and their attempts are kept that were delivered or discarded, unless an account has its own; 0: for ever. Days.',
  },
  DEAD_LETTER_RETENTION_DAYS: {
    kind: 'integer',
    default: '365',
    min: 0,
    max: 36_500,
    description: 'How long dead letters are kept, at least as long as other deliveries; 0: for ever. Days.',
  },
  RECORD_RETENTION_DAYS: {
    kind: 'integer',
    default: '365',
    min: 0,
    max: 36_500,
    description:
      'How long is kept what only tells of the past: reports of merchants that did nothing, replays and discards of many deliveries that are over, e-mails that were given up, who changed the configuration; 0: for ever. Days.',
  },
  EVENTS_BACKLOG_MAX: {
    kind: 'integer',
    default: '50000',
    // The largest batch: with less it would never be taken, however little there is to do.
    min: 500,
    max: 100_000_000,
    description:
      'Published events waiting for their commit before POST /v1/events answers 503; at least one batch of the largest size.',
  },
  EVENTS_LAG_MAX: {
    kind: 'integer',
    default: '1000000',
    min: 0,
    max: 1_000_000_000,
    description:
      'Events by which the webhook fan-out may be behind the log before POST /v1/events answers 503; 0: any number.',
  },
  FRAUD_OFFER_MAX: {
    kind: 'integer',
    default: '20',
    min: 1,
    max: 1000,
    description: 'Offers of one user within `FRAUD_OFFER_MINUTES`; one more is a fraud signal.',
  },
  FRAUD_OFFER_MINUTES: {
    kind: 'integer',
    default: '10',
    min: 1,
    max: 1440,
    description: 'Time over which the offers of a user are counted. Minutes.',
  },
  FRAUD_PRICE_FACTOR: {
    kind: 'integer',
    default: '10',
    min: 2,
    max: 10_000,
    description: 'One side of an offer giving more than this many times what it gets is a fraud signal.',
  },
  FRAUD_FLAG_MIN: {
    kind: 'integer',
    default: '3',
    min: 2,
    max: 1000,
    description: 'A user who is flagged this often within `FRAUD_FLAG_DAYS` is a fraud signal.',
  },
  FRAUD_FLAG_DAYS: {
    kind: 'integer',
    default: '7',
    min: 1,
    max: 90,
    description: 'Time over which the flags of a user are counted. Days.',
  },
  TRADE_HOLD_MINUTES: {
    kind: 'integer',
    default: '1440',
    min: 1,
    max: 525_600,
    description: 'How long a side of a trade that has paid waits for the other; then the trade is cancelled. Minutes.',
  },
  TRADE_RESERVATION_MINUTES: {
    kind: 'integer',
    default: '30',
    min: 1,
    max: 525_600,
    description: 'How long the items of an accepted trade are reserved while nobody has paid. Minutes.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

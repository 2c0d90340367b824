import { SETTINGS, type Setting } from './settings.ts';

function bounds(s: Setting): string {
  if (s.oneOf) return s.oneOf.map((o) => `\`${o}\``).join(', ');
  if (s.schemes)
    return `${s.schemes.map((scheme) => `\`${scheme}://\``).join(', ')}${s.kind === 'urls' ? ' (list)' : ''}`;
  if (s.kind === 'integer') return `integer ${s.min}..${s.max}`;
  if (s.kind === 'count') return `\`auto\`, integer ${s.min}..${s.max}`;
  return (
    {
      cidrs: 'list of CIDRs',
      servers: 'list of addresses',
      origins: 'list of origins',
      'web-url': 'http(s) URL',
      colour: '`#rrggbb`',
    }[s.kind as string] ?? s.kind
  );
}

/** The Markdown of docs/settings.md. */
export function settingsDoc(): string {
  const rows = Object.entries<Setting>(SETTINGS).map(
    ([name, s]) =>
      `| \`${name}\` | ${bounds(s)} | ${s.default === undefined ? '–' : `\`${s.default}\``} | ${s.description}${s.secret ? ' **Secret.**' : ''} |`,
  );
  return `# Settings

Environment variables, read once at start, without a line break at their end. All wrong ones are reported together, and a \`POSTHORN_\` variable that does
not exist is an error, so that a typo never silently means a default; those of the [command line](cli.md#who-you-are-and-where)
are passed over, as are those that Kubernetes makes of a Service called \`posthorn\`, such as \`POSTHORN_PORT=tcp://…\`.
A variable that is spelt almost like another setting, or begins like some (\`WEBHOOK_TIMEOUT\`), is a warning in the log, and in \`posthorn doctor\`: it may be
of another program.

A secret may stand in a file, as Docker and Kubernetes mount them: the variable with \`_FILE\` behind its name has the path (\`DATABASE_URL_FILE=/run/secrets/database_url\`).
The file has the secret in one line, and nothing else; each process reads it when it starts, so a changed one needs a restart. Of the two variables one is set, or both the same. [In containers](operations/containers.md#secrets-as-files) has an
example. This page is made by \`npm run openapi\`.

| Variable | Values | Default | Meaning |
|---|---|---|---|
${rows.join('\n')}
`;
}

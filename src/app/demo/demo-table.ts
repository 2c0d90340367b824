import { type Demo, demoFile } from './demo-file.ts';

const GAP = '   ';

/** Columns as wide as their widest cell. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  const line = (row: readonly string[]): string => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(GAP);
  return rows.map((row) => `  ${line(row).trimEnd()}`).join('\n');
}

/** An address that a person can open: 0.0.0.0 and :: are addresses to listen on, not to call. */
export const callableUrl = (url: string): string =>
  url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');

export interface TableInput {
  demo: Demo;
  url: string;
  /** Where the public site is; undefined: it is switched off. */
  site: string | undefined;
  version: string;
  /** POSTHORN_DATA_DIR. */
  dataDir: string;
  /** Where `npm run demo` looks by itself. */
  usual: { url: string; dataDir: string };
  /** Set when the operator is the one of the settings. */
  operatorEmail?: string | undefined;
}

/** The command that plays the demo, with options where the service is not where it is looked for. */
function playCommand({ url, dataDir, usual }: TableInput): string {
  const options = [
    ...(url === usual.url ? [] : ['--url', url]),
    ...(dataDir === usual.dataDir ? [] : ['--data-dir', `"${dataDir}"`]),
  ];
  return ['npm run demo', ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
}

/** What a newcomer is shown: where it runs, a request that works, who can sign in, which keys there are. 80 columns. */
export function demoTable(input: TableInput): string {
  const { demo, url, site, version, dataDir, operatorEmail } = input;
  const key = demo.accounts.find((a) => a.who === 'site')?.key ?? '';
  const users = demo.users.map((u) => [u.who, u.email, u.password]);
  if (operatorEmail !== undefined && !demo.users.some((u) => u.who === 'operator')) {
    users.push(['operator', operatorEmail, '(your POSTHORN_OPERATOR_PASSWORD)']);
  }
  const addresses = [
    ['Address', url],
    ...(site === undefined ? [] : [['Blog', site]]),
    ['Dashboard', `${url}/dashboard`],
    ['Documentation', `${url}/docs`],
  ];
  const keys = demo.accounts.flatMap((a) => (a.key === undefined ? [] : [[a.who, a.key, a.keyIsFor]]));
  return `
Posthorn ${version} is running, with a demo.

${columns(addresses)}

Read the blog:

  curl -H "Authorization: Bearer ${key}" ${url}/v1/blog/posts

Watch webhooks arrive, in a second terminal:

  ${playCommand(input)}

${columns([['who', 'e-mail', 'password'], ...users])}

${columns([['who', 'API key', 'for'], ...keys])}

Signing secrets: ${demoFile(dataDir)}
Stop: Ctrl-C. Without a demo: POSTHORN_DEMO=false. A new one: delete the data folder.

`;
}

/**
 * What stands behind the language of a fence. Readers do not see it.
 *
 * - `background=3000`: goes on running; what follows begins when that port is open.
 * - `file=name`: saved under this name in the folder in which the commands of the page run.
 * - `needs=postgres`: only where the service has PostgreSQL.
 * - `run-by=test/docs/nginx-page.test.ts`: the file that runs it; not the test of the pages.
 * - `output`: lines that the block before must have printed, in this order; `…` stands for anything. `output=4000`: what runs in
 *   the background at that port must have, until the end of the page.
 * - `reply="operationId status"`, `request=operationId`: what the JSON is, in openapi.json.
 */
export type Attributes = Readonly<Record<string, string>>;

const KNOWN = new Set(['background', 'file', 'needs', 'output', 'reply', 'request', 'run-by']);

/** Throws for one that is not known: misspelt it would do nothing. */
export function attributesOf(info: string): Attributes {
  const found: Record<string, string> = {};
  const rest = info.replaceAll(/([\w-]+)(?:=(?:"([^"]*)"|(\S+)))?/g, (_all, name: string, quoted, bare) => {
    if (!KNOWN.has(name)) throw new Error(`a fence has an attribute that does not exist: ${name}`);
    found[name] = (quoted ?? bare ?? '') as string;
    return '';
  });
  if (rest.trim() !== '') throw new Error(`a fence cannot be read: ${info}`);
  return found;
}

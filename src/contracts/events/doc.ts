import { businessWebhooks, EVENTS, type EventName, entryOf, internalEvents, merchantWebhooks } from './catalogue.ts';
import type { EventEntry } from './shared.ts';
import { exampleBody } from './webhooks.ts';

/** The parts of JSON Schema that the catalogue uses. */
interface Node {
  type?: string;
  description?: string;
  properties?: Readonly<Record<string, Node>>;
  required?: readonly string[];
  items?: Node;
  enum?: readonly string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

const bounds = (min: number | undefined, max: number | undefined): string =>
  min === max ? String(min) : `${min ?? 0}..${max ?? ''}`;

function typeOf(node: Node): string {
  if (node.enum) return node.enum.map((v) => `\`${v}\``).join(', ');
  if (node.type === 'array') return `list of ${bounds(node.minItems, node.maxItems)}`;
  if (node.format) return node.format;
  if (node.maxLength !== undefined) return `string, ${bounds(node.minLength, node.maxLength)} characters`;
  if (node.type === 'number') return 'amount';
  if (node.type === 'integer') return `integer ${bounds(node.minimum, node.maximum)}`;
  if (node.pattern === '^[A-Z]{3}$') return 'string, 3 capital letters';
  return node.type ?? '';
}

function fieldRows(node: Node, path = ''): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
    const at = `${path}${name}`;
    const needed = node.required?.includes(name) ? 'yes' : 'no';
    const row = `| \`${at}\` | ${typeOf(field)} | ${needed} | ${field.description ?? ''} |`;
    const inner = field.type === 'array' ? fieldRows(field.items ?? {}, `${at}[].`) : fieldRows(field, `${at}.`);
    return [row, ...inner];
  });
}

const derivedFor = (name: EventName): EventName[] =>
  (Object.keys(EVENTS) as EventName[]).filter((d) => EVENTS[d].derivedFrom === name);

const link = (name: string): string => `[\`${name}\`](#${name.replaceAll('.', '')})`;

const webhookCell = ({ webhook }: EventEntry): string => (webhook === null ? 'no' : webhook.toLowerCase());

function section(entry: EventEntry): string {
  const source = entry.derivedFrom === null ? '' : `\nDerived from ${link(entry.derivedFrom)}; cannot be published.\n`;
  return `## ${entry.event}

${entry.description}
${source}
- Audience: ${entry.audience}
- Subject: \`${entry.subject}\`
- Webhook: ${webhookCell(entry)}

| Field | Type | Required | Meaning |
|---|---|---|---|
${fieldRows(entry.data).join('\n')}

\`\`\`json
${JSON.stringify(exampleBody(entry.event as EventName), null, 2)}
\`\`\`
`;
}

/** The Markdown of docs/events.md. */
export function eventsDoc(): string {
  const names = Object.keys(EVENTS) as EventName[];
  const rows = names.map((name) => {
    const entry = entryOf(name);
    const also = derivedFor(name).map(link).join(', ');
    return `| ${link(name)} | ${entry.internal ? 'yes' : 'no'} | ${webhookCell(entry)} | ${also} | ${entry.description} |`;
  });
  const derived = names.length - internalEvents.length;
  return `# Events

${internalEvents.length} internal events, all of them in the audit trail. ${merchantWebhooks.length} webhooks go to merchants, \
${derived} of which are derived from an event of another name; ${businessWebhooks.length} go to businesses. This page is \
made by \`npm run openapi\` from \`src/contracts/events\`.

The body of a webhook is \`event\`, the fields of the event's table, and \`timestamp\` (when it happened, UTC with
milliseconds), all on one level. Deliveries come at least once: deduplicate by \`tradeSessionId\` together with
\`event\`, or by the header \`X-Service-Event-Id\` together with \`event\`, or by \`webhook-id\` alone.

Amounts are numbers in major units of \`currency\`, 0 to 100 000 000 000, never with more digits than the currency has
(EUR 2, JPY 0, BHD 3). Fields that a table does not have are refused.

| Event | Published | Webhook | Also causes | When |
|---|---|---|---|---|
${rows.join('\n')}

${names.map((name) => section(entryOf(name))).join('\n')}`;
}

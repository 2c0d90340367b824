import { Box, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { KINDS } from '../account/kinds.ts';
import type { Column } from '../ui/data-table.tsx';
import { TextLink } from '../ui/links.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { type Change, type ChangedField, doneText, fieldsOf } from './change-texts.ts';

/** Who reads: operators are led to accounts and users, members to what is in their account. */
export interface Reader {
  isOperator: boolean;
  isEditor: boolean;
  /** Narrows the list to what this one did. */
  onActor: (id: string) => void;
}

/** What may be long in a column that is not: names of people, keys and accounts. */
const Name = ({ children }: { children: ReactNode }) => (
  <Box miw={120} style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
    {children}
  </Box>
);

const quoted = (name: string): ReactNode => (
  <>
    “<bdi>{name}</bdi>”
  </>
);

/** What was changed: its name, as a link where it can be looked at. */
function Thing({ change: { thing, account }, reader }: { change: Change; reader: Reader }) {
  const { kind, id, name, isGone } = thing;
  if (kind === 'COMMENT_SETTINGS')
    return reader.isEditor ? (
      <TextLink to="/comment-rules" underline="always">
        of the blog
      </TextLink>
    ) : (
      'of the blog'
    );
  const shown = quoted(name);
  if (id === null || isGone) return shown;
  if ((kind === 'ENDPOINT' || kind === 'BUSINESS_SUBSCRIPTION') && account)
    return (
      <TextLink
        to={KINDS[kind === 'ENDPOINT' ? 'MERCHANT' : 'BUSINESS'].one}
        params={{ accountId: account.id, id }}
        underline="always"
      >
        {shown}
      </TextLink>
    );
  if (kind === 'API_KEY' && account)
    return (
      <TextLink to="/a/$accountId/keys" params={{ accountId: account.id }} underline="always">
        {shown}
      </TextLink>
    );
  if (!reader.isOperator) return shown;
  return (
    <TextLink
      to={kind === 'USER' ? '/operators/users/$id' : '/operators/accounts/$id'}
      params={{ id }}
      underline="always"
    >
      {shown}
    </TextLink>
  );
}

const Field = ({ field: { name, before, after } }: { field: ChangedField }) => (
  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
    {name}: {before !== undefined && <bdi>{before} → </bdi>}
    <bdi>{after}</bdi>
  </Text>
);

/** Who it was; a click shows what else the same one did. */
function Actor({ actor: { kind, id, name, hint }, onActor }: { actor: Change['actor']; onActor: Reader['onActor'] }) {
  if (id === null) return 'The service';
  const called = name ?? (kind === 'API_KEY' ? 'An API key of another account' : id);
  return (
    <Stack gap={0}>
      <Text inherit component="span">
        {kind === 'API_KEY' && name !== null && 'Key '}
        <Text
          inherit
          component="button"
          type="button"
          className="mantine-focus-auto"
          c="var(--mantine-color-anchor)"
          style={{ background: 'none', border: 0, padding: 0, cursor: 'pointer', textAlign: 'start' }}
          onClick={() => onActor(id)}
        >
          <bdi>{called}</bdi>
        </Text>
      </Text>
      {hint !== null && (
        <Text size="xs" c="dimmed">
          {kind === 'API_KEY' ? `${hint}…` : hint}
        </Text>
      )}
    </Stack>
  );
}

export const changeColumns = (reader: Reader, ofAccounts: boolean): Column<Change>[] => [
  {
    header: 'What',
    grow: true,
    cell: (change) => (
      <Stack gap={0}>
        <Text inherit component="span">
          {doneText(change)} <Thing change={change} reader={reader} />
        </Text>
        {fieldsOf(change).map((field) => (
          <Field key={field.name} field={field} />
        ))}
      </Stack>
    ),
  },
  {
    header: 'By',
    cell: ({ actor }) => (
      <Name>
        <Actor actor={actor} onActor={reader.onActor} />
      </Name>
    ),
  },
  ...(ofAccounts
    ? [
        {
          header: 'Account',
          cell: ({ account }: Change) =>
            account && (
              <Name>
                <TextLink to="/operators/accounts/$id" params={{ id: account.id }}>
                  <bdi>{account.name}</bdi>
                </TextLink>
              </Name>
            ),
        },
      ]
    : []),
  { header: 'When', cell: ({ at }) => <RelativeTime at={at} /> },
];

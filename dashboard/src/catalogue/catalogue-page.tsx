import { Accordion, Badge, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state.tsx';
import { Failure } from '../ui/failure.tsx';
import { JsonView } from '../ui/json-view.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Choice } from '../ui/choice.tsx';
import { Sentence } from '../ui/sentence.tsx';
import { byNoun, type EventType, eventTypesQuery } from '../account/event-types.ts';
import { useScope } from '../account/scope.ts';
import { RECEIVERS, type Receiver } from './catalogue-search.ts';
import { SchemaTable } from './schema-table.tsx';
import { OnItsWay } from '../ui/on-its-way.tsx';

const route = getRouteApi('/shell/a/$accountId/catalogue');

const LABELS: Readonly<Record<Receiver, string>> = {
  MERCHANT: 'Merchants receive it',
  BUSINESS: 'Businesses receive it',
  NOBODY: 'Internal only',
};

const fits = ({ event, description, webhook }: EventType, q: string | undefined, to: Receiver | undefined): boolean =>
  (to === undefined || (webhook ?? 'NOBODY') === to) &&
  (q === undefined || `${event} ${description}`.toLowerCase().includes(q.toLowerCase()));

/** What the account receives first, the rest in the order of the catalogue. */
const ownFirst = (groups: readonly [string, EventType[]][], own: string | undefined): [string, EventType[]][] =>
  groups.toSorted(([, a], [, b]) => Number(isOf(own, b)) - Number(isOf(own, a)));

const isOf = (receiver: string | undefined, types: readonly EventType[]): boolean =>
  types.some(({ webhook }) => webhook === receiver);

/** Every event with its fields and an example of the webhook. */
export function CataloguePage() {
  const { q, to, event } = route.useSearch();
  const navigate = route.useNavigate();
  const { account } = useScope();
  const query = useQuery(eventTypesQuery);
  const found = query.data?.data.filter((type) => fits(type, q, to));
  return (
    <Page title="Event catalogue" text="What happens, who is told, and what a webhook holds.">
      <Group gap="xs" align="flex-end">
        <SearchBox
          label="Search events"
          value={q}
          onSearch={(next) => void navigate({ search: (old) => ({ ...old, q: next }), replace: true })}
        />
        <Choice
          label="Who receives it"
          wide
          data={RECEIVERS.map((value) => ({ value, label: LABELS[value] }))}
          value={to}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, to: next }) })}
        />
      </Group>
      {query.isError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <OnItsWay height={400} />}
      {found?.length === 0 && <EmptyState title="No event fits" text="Try another word." />}
      {ownFirst(byNoun(found ?? []), account?.type).map(([noun, types]) => (
        <Stack key={noun} gap="xs">
          <Title order={2}>{noun.replaceAll('_', ' ')}</Title>
          <Accordion
            variant="separated"
            order={3}
            value={event ?? null}
            onChange={(next) =>
              void navigate({ search: (old) => ({ ...old, event: next ?? undefined }), replace: true })
            }
          >
            {types.map((type) => (
              <Entry key={type.event} type={type} isOpen={type.event === event} />
            ))}
          </Accordion>
        </Stack>
      ))}
    </Page>
  );
}

function Entry({ type, isOpen }: { type: EventType; isOpen: boolean }) {
  const { event, description, derivedFrom, webhook, schema, example } = type;
  return (
    <Accordion.Item value={event}>
      <Accordion.Control>
        <Group gap="xs">
          <Text fw={600}>{event}</Text>
          <Badge variant="light" color={webhook === null ? 'gray' : webhook === 'MERCHANT' ? 'blue' : 'grape'}>
            {webhook === null ? 'internal' : webhook.toLowerCase()}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          <Sentence>{description}</Sentence>
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        {isOpen && (
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            <Stack gap="xs" miw={0}>
              {derivedFrom !== null && <Text size="sm">Made of {derivedFrom}, when its condition holds.</Text>}
              <SchemaTable schema={schema} label={`Fields of ${event}`} />
            </Stack>
            <JsonView value={example} label={`Example of ${event}`} />
          </SimpleGrid>
        )}
      </Accordion.Panel>
    </Accordion.Item>
  );
}

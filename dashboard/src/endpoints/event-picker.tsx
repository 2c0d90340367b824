import { Checkbox, Fieldset, Group, Radio, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Failure } from '../ui/failure.tsx';
import { byNoun, type EventType, eventTypesQuery } from '../account/event-types.ts';
import type { EndpointKind } from '../account/kinds.ts';

interface EventPickerProps {
  kind: EndpointKind;
  /** null: all of the kind. */
  value: readonly string[] | null;
  onChange: (events: string[] | null) => void;
}

/** Which events an endpoint takes: all of its kind, also those to come, or the ones that are ticked. */
export function EventPicker({ kind, value, onChange }: EventPickerProps) {
  const types = useQuery(eventTypesQuery);
  if (types.isError) return <Failure error={types.error} onRetry={() => void types.refetch()} />;
  const ofKind = (types.data?.data ?? []).filter(({ webhook }) => webhook === kind);
  return (
    <Fieldset legend="Events">
      <Radio.Group
        aria-label="Which events"
        value={value === null ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? null : ofKind.map(({ event }) => event))}
      >
        <Group>
          <Radio value="all" label="All, also those that are added later" />
          <Radio value="some" label="Only these" />
        </Group>
      </Radio.Group>
      {value !== null &&
        (types.data ? <Choices types={ofKind} value={value} onChange={onChange} /> : <Skeleton h={120} />)}
      {value?.length === 0 && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mt="xs">
          Choose at least one event.
        </Text>
      )}
    </Fieldset>
  );
}

interface ChoicesProps {
  types: readonly EventType[];
  value: readonly string[];
  onChange: (events: string[]) => void;
}

/** A box for each event, and one for all events of a noun. */
function Choices({ types, value, onChange }: ChoicesProps) {
  const chosen = new Set(value);
  const set = (events: readonly EventType[], isOn: boolean): void => {
    const touched = new Set(events.map(({ event }) => event));
    onChange(types.map(({ event }) => event).filter((event) => (touched.has(event) ? isOn : chosen.has(event))));
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} mt="md" spacing="md">
      {byNoun(types).map(([noun, events]) => {
        const on = events.filter(({ event }) => chosen.has(event)).length;
        return (
          <Stack key={noun} gap={8}>
            <Checkbox
              label={<strong>{noun.replaceAll('_', ' ')}</strong>}
              checked={on === events.length}
              indeterminate={on > 0 && on < events.length}
              onChange={(change) => set(events, change.currentTarget.checked)}
            />
            {events.map((type) => (
              <Checkbox
                key={type.event}
                ml="md"
                size="sm"
                label={type.event}
                checked={chosen.has(type.event)}
                onChange={(change) => set([type], change.currentTarget.checked)}
              />
            ))}
          </Stack>
        );
      })}
    </SimpleGrid>
  );
}

import { NumberInput, SimpleGrid, Switch, Textarea, TextInput } from '@mantine/core';
import type { WebhookEndpoint } from '@posthorn/client';
import { useState } from 'react';
import { DialogForm } from '../ui/dialog-form.tsx';
import { EventPicker } from './event-picker.tsx';
import { type HeaderLine, HeadersField, headersOf } from './headers-field.tsx';
import type { EndpointKind, EndpointSettings } from '../account/kinds.ts';

interface EndpointFormProps {
  kind: EndpointKind;
  /** What there is; absent for a new one. */
  endpoint?: WebhookEndpoint;
  /** Of the last try. */
  error: unknown;
  isSaving: boolean;
  onSave: (settings: EndpointSettings) => void;
  onCancel: () => void;
}

const numberOf = (value: string | number): number | null => (typeof value === 'number' ? value : null);

interface Typed extends EndpointSettings {
  lines: HeaderLine[];
  replacesHeaders: boolean;
}

const typedOf = (endpoint: WebhookEndpoint | undefined): Typed => ({
  url: endpoint?.url ?? '',
  events: endpoint && !endpoint.allEvents ? endpoint.events : null,
  description: endpoint?.description ?? '',
  maxInFlight: endpoint?.maxInFlight ?? null,
  ratePerSecond: endpoint?.ratePerSecond ?? null,
  lines: [],
  replacesHeaders: endpoint === undefined,
});

/** What is sent of what was typed. */
const settingsOf = ({ lines, replacesHeaders, ...typed }: Typed): EndpointSettings => ({
  ...typed,
  url: typed.url.trim(),
  ...(replacesHeaders ? { headers: headersOf(lines) } : {}),
});

/** Everything that can be set of an endpoint or a subscription. */
export function EndpointForm({ kind, endpoint, error, isSaving, onSave, onCancel }: EndpointFormProps) {
  const [typed, setTyped] = useState(() => typedOf(endpoint));
  const set = (change: Partial<Typed>): void => setTyped((old) => ({ ...old, ...change }));
  return (
    <DialogForm
      action={endpoint ? 'Save' : 'Create'}
      isBusy={isSaving}
      error={error}
      isDisabled={typed.events?.length === 0}
      onSubmit={() => onSave(settingsOf(typed))}
      onCancel={onCancel}
    >
      <TextInput
        label="Address"
        description="An http(s) address of yours that takes POST."
        placeholder="https://shop.example.com/hooks/posthorn"
        type="url"
        required
        maxLength={2000}
        data-autofocus
        value={typed.url}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        description="For your colleagues: what receives here."
        maxLength={500}
        autosize
        value={typed.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <EventPicker kind={kind} value={typed.events} onChange={(events) => set({ events })} />
      <Limits typed={typed} onChange={set} />
      {endpoint && endpoint.headerNames.length > 0 && (
        <Switch
          label={`Replace the headers that there are: ${endpoint.headerNames.join(', ')}`}
          checked={typed.replacesHeaders}
          onChange={(event) => set({ replacesHeaders: event.currentTarget.checked })}
        />
      )}
      {(typed.replacesHeaders || endpoint?.headerNames.length === 0) && (
        <HeadersField lines={typed.lines} onChange={(lines) => set({ lines, replacesHeaders: true })} />
      )}
    </DialogForm>
  );
}

/** How much the receiver takes at once. */
function Limits({ typed, onChange }: { typed: Typed; onChange: (change: Partial<Typed>) => void }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NumberInput
        label="Requests at once"
        description="Empty: as many as the service allows."
        min={1}
        max={1000}
        allowDecimal={false}
        value={typed.maxInFlight ?? ''}
        onChange={(value) => onChange({ maxInFlight: numberOf(value) })}
      />
      <NumberInput
        label="Requests per second"
        description="Empty: no limit."
        min={1}
        max={10_000}
        allowDecimal={false}
        value={typed.ratePerSecond ?? ''}
        onChange={(value) => onChange({ ratePerSecond: numberOf(value) })}
      />
    </SimpleGrid>
  );
}

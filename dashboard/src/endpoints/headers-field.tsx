import { ActionIcon, Button, Fieldset, Group, PasswordInput, Text, TextInput } from '@mantine/core';
import { Plus, Trash2 } from '../ui/icons.ts';

export interface HeaderLine {
  /** For the list of fields only. */
  key: number;
  name: string;
  value: string;
}

/** As many as the service takes. */
const MOST = 10;

interface HeadersFieldProps {
  lines: readonly HeaderLine[];
  onChange: (lines: HeaderLine[]) => void;
}

/** Own headers of an endpoint: name and value, the value hidden like a password, since it often is one. */
export function HeadersField({ lines, onChange }: HeadersFieldProps) {
  const set = (key: number, change: Partial<HeaderLine>): void =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...change } : line)));
  return (
    <Fieldset legend="Headers of your own">
      <Text size="sm" c="dimmed" mb="xs">
        Sent along with every request. Values are stored encrypted and are not shown again.
      </Text>
      {lines.map((line) => (
        <Group key={line.key} gap="xs" mb="xs" wrap="nowrap" align="flex-end">
          <TextInput
            label="Name"
            placeholder="X-Tenant"
            value={line.name}
            onChange={(event) => set(line.key, { name: event.currentTarget.value })}
            maxLength={64}
            flex={1}
          />
          <PasswordInput
            label="Value"
            value={line.value}
            onChange={(event) => set(line.key, { value: event.currentTarget.value })}
            maxLength={1000}
            autoComplete="off"
            flex={1}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove the header ${line.name}`}
            onClick={() => onChange(lines.filter(({ key }) => key !== line.key))}
          >
            <Trash2 size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<Plus size={14} aria-hidden />}
        disabled={lines.length >= MOST}
        onClick={() =>
          onChange([...lines, { key: Math.max(0, ...lines.map(({ key }) => key)) + 1, name: '', value: '' }])
        }
      >
        Add a header
      </Button>
    </Fieldset>
  );
}

/** Lines without a name are left out. */
export const headersOf = (lines: readonly HeaderLine[]): Record<string, string> =>
  Object.fromEntries(lines.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]));

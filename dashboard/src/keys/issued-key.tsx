import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { IssuedApiKey } from '@posthorn/client';
import { CopyButton } from '../ui/copy-button.tsx';
import { TriangleAlert } from '../ui/icons.ts';

interface IssuedKeyProps {
  issued: IssuedApiKey;
  /** What is to be known beside them. */
  note?: string | undefined;
  onClose: () => void;
}

/** A new key and its signing secret, the only time that they are shown. */
export function IssuedKey({ issued, note, onClose }: IssuedKeyProps) {
  return (
    <Stack>
      <Alert color="yellow" icon={<TriangleAlert aria-hidden />} title="Copy both now">
        They are not shown again, and nobody can look them up.
      </Alert>
      <Secret name="API key" text="For your calls of the service: Authorization: Bearer …" value={issued.key} />
      <Secret
        name="Signing secret"
        text="For your receivers, to verify what is sent to them, and to sign your reports."
        value={issued.signingSecret}
      />
      {note !== undefined && <Text size="sm">{note}</Text>}
      <Group justify="flex-end">
        <Button onClick={onClose}>I have stored both</Button>
      </Group>
    </Stack>
  );
}

function Secret({ name, text, value }: { name: string; text: string; value: string }) {
  return (
    <div>
      <Text fw={600} size="sm">
        {name}
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {text}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code block flex={1} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} aria-label={name}>
          {value}
        </Code>
        <CopyButton value={value} label={`Copy the ${name.toLowerCase()}`} />
      </Group>
    </div>
  );
}

import { Accordion, Badge, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { durationText } from '../lib/format.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { JsonView } from '../ui/json-view.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { afterClass, answerText, causeText } from '../account/causes.ts';
import { curlOf } from './curl.ts';
import type { DeliveryDetail } from '../account/delivery-queries.ts';
import { HeaderTable } from './header-table.tsx';
import { SignatureCheck, signatureOf } from './signature-check.tsx';

type Attempt = DeliveryDetail['log'][number];

/** An attempt can be made twice: when it was cut off, and goes once more. */
const keyOf = ({ attempt, at }: Attempt): string => `${attempt}-${at}`;

/** Every attempt with both of its sides, the newest first and open. */
export function AttemptList({ delivery }: { delivery: DeliveryDetail }) {
  const [chosen, choose] = useState<string | null>();
  const newest = delivery.log.at(-1);
  if (!newest) return <Text c="dimmed">No attempt was made yet.</Text>;
  return (
    <Accordion
      variant="separated"
      order={3}
      // Until somebody chooses, the newest is open, also when another one is made meanwhile.
      value={chosen === undefined ? keyOf(newest) : chosen}
      onChange={choose}
    >
      {delivery.log.toReversed().map((attempt) => (
        <Accordion.Item key={keyOf(attempt)} value={keyOf(attempt)}>
          <Accordion.Control>
            <Heading attempt={attempt} />
          </Accordion.Control>
          <Accordion.Panel>
            <Sides delivery={delivery} attempt={attempt} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function Heading({ attempt: { attempt, at, durationMs, ...answer } }: { attempt: Attempt }) {
  return (
    <Group gap="sm">
      <Text fw={600}>Attempt {attempt}</Text>
      <Badge variant="light" radius="sm" color={answer.errorClass === null ? 'green' : 'red'}>
        {answerText(answer)}
      </Badge>
      <Text size="sm" c="dimmed">
        <RelativeTime at={at} />, {durationText(durationMs)}
      </Text>
    </Group>
  );
}

function Sides({ delivery, attempt }: { delivery: DeliveryDetail; attempt: Attempt }) {
  const cause = causeText(attempt.errorClass);
  return (
    <Stack>
      {attempt.errorClass !== null && (
        <Text size="sm">
          <strong>{attempt.errorClass}</strong>
          {attempt.errorMessage !== null && afterClass(attempt.errorClass, attempt.errorMessage)}
          {cause !== null && ` – ${cause}`}
        </Text>
      )}
      <Timing attempt={attempt} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Request delivery={delivery} attempt={attempt} />
        <Response attempt={attempt} />
      </SimpleGrid>
    </Stack>
  );
}

/** Nothing of an attempt without an answer whose connection is not known: it may have had a kept one, or none. */
function Timing({ attempt: { connectMs, firstByteMs } }: { attempt: Attempt }) {
  if (connectMs === null && firstByteMs === null) return null;
  return (
    <Text size="sm" c="dimmed">
      {connectMs === null ? 'On a kept connection' : `Connected in ${durationText(connectMs)}`}
      {firstByteMs !== null && `, first byte after ${durationText(firstByteMs)}`}
    </Text>
  );
}

function Request({ delivery, attempt }: { delivery: DeliveryDetail; attempt: Attempt }) {
  const [isChecking, setChecking] = useState(false);
  const signature = signatureOf(attempt.requestHeaders);
  const { body } = delivery;
  const url = attempt.url ?? delivery.url;
  return (
    <Stack gap="xs" miw={0}>
      <Group justify="space-between">
        <Title order={4} size="sm">
          Sent
        </Title>
        <Group gap="xs">
          {url !== null && body !== null && <CopyButton value={curlOf(url, attempt, body)} label="Copy as curl" wide />}
          {signature !== undefined && body !== null && (
            <Button variant="default" size="xs" onClick={() => setChecking(true)}>
              Check the signature
            </Button>
          )}
        </Group>
      </Group>
      <HeaderTable
        label={`Request headers of attempt ${attempt.attempt}`}
        headers={{ Address: attempt.url ?? 'not kept', ...attempt.requestHeaders }}
      />
      {body === null ? (
        <Text size="sm">The body is not kept any more.</Text>
      ) : (
        <JsonView text={body} label="Body that was sent" />
      )}
      {signature !== undefined && body !== null && (
        <SignatureCheck signature={signature} body={body} isOpen={isChecking} onClose={() => setChecking(false)} />
      )}
    </Stack>
  );
}

function Response({ attempt }: { attempt: Attempt }) {
  const { responseStatus, responseHeaders, responseBody } = attempt;
  return (
    <Stack gap="xs" miw={0}>
      <Title order={4} size="sm">
        Came back
      </Title>
      {responseStatus === null ? (
        <Text size="sm">No reply.</Text>
      ) : (
        <>
          <HeaderTable
            label={`Reply headers of attempt ${attempt.attempt}`}
            headers={{ Status: String(responseStatus), ...responseHeaders }}
          />
          {responseBody === null || responseBody === '' ? (
            <Text size="sm">No body.</Text>
          ) : (
            <JsonView text={responseBody} label="Body that came back" />
          )}
        </>
      )}
    </Stack>
  );
}

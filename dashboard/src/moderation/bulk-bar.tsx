import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Queue } from './use-queue.ts';

/** What can be done with all that are chosen, with one reason for the log. */
export function BulkBar({ queue }: { queue: Queue }) {
  const count = queue.chosen.size;
  return (
    <>
      <Group gap="xs" mih={30}>
        <Text size="sm" c="dimmed" component="output">
          {count === 0 ? 'None chosen' : `${count} chosen`}
        </Text>
        <Button size="compact-sm" variant="default" onClick={queue.chooseAll}>
          Choose this page
        </Button>
        {count > 0 && (
          <>
            <Button size="compact-sm" variant="default" onClick={queue.clear}>
              Choose none
            </Button>
            <Button size="compact-sm" onClick={() => queue.ask('HIDDEN')}>
              Hide …
            </Button>
            <Button size="compact-sm" onClick={() => queue.ask('VISIBLE')}>
              Show …
            </Button>
          </>
        )}
      </Group>
      {queue.asking !== null && <ReasonDialog queue={queue} status={queue.asking} />}
    </>
  );
}

function ReasonDialog({ queue, status }: { queue: Queue; status: 'VISIBLE' | 'HIDDEN' }) {
  const [reason, setReason] = useState('');
  const verb = status === 'HIDDEN' ? 'Hide' : 'Show';
  const count = queue.chosen.size;
  const what = count === 1 ? '1 comment' : `${count} comments`;
  return (
    <Modal opened onClose={() => queue.ask(null)} title={`${verb} ${what}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          queue.decide({ ids: [...queue.chosen], status, reason: reason.trim() });
        }}
      >
        <Stack>
          <TextInput
            data-autofocus
            label="Reason"
            description="For the moderation log; readers do not see it"
            value={reason}
            maxLength={1000}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => queue.ask(null)}>
              Cancel
            </Button>
            <Button type="submit" loading={queue.isDeciding}>
              {verb} {what}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

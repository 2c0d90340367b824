import { Group, Text } from '@mantine/core';
import { ReasonModal } from '../ui/reason-modal.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';
import type { Queue } from './use-queue.ts';

/** What can be done with all that are chosen, with one reason for the log. */
export function BulkBar({ queue }: { queue: Queue }) {
  const count = queue.chosen.size;
  const verb = queue.asking === 'VISIBLE' ? 'Show' : 'Hide';
  const what = count === 1 ? '1 comment' : `${count} comments`;
  return (
    <>
      <Group gap="xs" mih={30}>
        <Text size="sm" c="dimmed" component="output">
          {count === 0 ? 'None chosen' : `${count} chosen`}
        </Text>
        <SteadyButton size="compact-sm" variant="default" isOff={queue.isEmpty} onClick={queue.chooseAll}>
          Choose this page
        </SteadyButton>
        <SteadyButton size="compact-sm" variant="default" isOff={count === 0} onClick={queue.clear}>
          Choose none
        </SteadyButton>
        <SteadyButton size="compact-sm" isOff={count === 0} onClick={() => queue.ask('HIDDEN')}>
          Hide …
        </SteadyButton>
        <SteadyButton size="compact-sm" isOff={count === 0} onClick={() => queue.ask('VISIBLE')}>
          Show …
        </SteadyButton>
      </Group>
      <ReasonModal
        isOpen={queue.asking !== null}
        title={`${verb} ${what}`}
        description="For the moderation log; readers do not see it"
        action={`${verb} ${what}`}
        isOptional
        isBusy={queue.isDeciding}
        onClose={() => queue.ask(null)}
        onReason={(reason) => queue.decide({ ids: [...queue.chosen], status: queue.asking ?? 'HIDDEN', reason })}
      />
    </>
  );
}

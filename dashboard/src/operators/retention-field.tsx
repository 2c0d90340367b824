import { Group, NumberInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { plural } from '../lib/format.ts';
import { DAYS_FAULT, daysOf } from './retention.ts';
import { SteadyButton } from '../ui/steady-button.tsx';

/** How long the deliveries of an account are kept. */
export function RetentionField({ accountId }: { accountId: string }) {
  const queries = useQueryClient();
  const queryKey = ['accounts', accountId, 'retention'];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => posthorn.getDeliveryRetention({ id: accountId }, { signal }),
  });
  const [typed, setTyped] = useState<string | number>();
  const save = useMutation({
    mutationFn: (days: number | null) => posthorn.setDeliveryRetention({ id: accountId, body: { days } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey });
      setTyped(undefined);
      notifyDone('Saved.');
    },
  });
  if (!query.data) return null;
  const { days, usualDays } = query.data;
  const entered = typed === undefined ? days : daysOf(typed);
  const usual = usualDays === 0 ? 'for ever' : plural(usualDays, 'day');
  return (
    <Group gap="xs" align="flex-end">
      <NumberInput
        label="Deliveries are kept for so many days"
        description={`Empty: as usual, ${usual}.`}
        placeholder={usual}
        // What is out of bounds is told, not changed into another number when the field is left.
        clampBehavior="none"
        allowDecimal={false}
        error={entered === 'fault' && DAYS_FAULT}
        value={typed ?? days ?? ''}
        onChange={setTyped}
      />
      <SteadyButton
        variant="default"
        isOff={typed === undefined || entered === 'fault'}
        isBusy={save.isPending}
        onClick={() => entered !== 'fault' && save.mutate(entered)}
      >
        Save
      </SteadyButton>
    </Group>
  );
}

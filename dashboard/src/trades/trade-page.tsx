import { Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { TradeDetail, TradeSide } from '@posthorn/client';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StatusBadge } from '../account/status-badge.tsx';
import { posthorn } from '../api/client.ts';
import { serverNow } from '../api/clock.ts';
import { notifyDone } from '../api/notices.tsx';
import { useMe } from '../api/session.ts';
import { confirm } from '../ui/confirm.tsx';
import { Facts } from '../ui/facts.tsx';
import { LinkButton, TextLink } from '../ui/links.tsx';
import { LoadedPage } from '../ui/loaded-page.tsx';
import { Page } from '../ui/page.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { checkoutText, fulfillmentText, reasonText } from './trade-texts.ts';
import { isOver, renewAfter } from './trade-renewal.ts';
import { TradeTimeline } from './trade-timeline.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

const route = getRouteApi('/shell/a/$accountId/trades/$id');

const tradeQuery = (id: string) =>
  queryOptions({
    queryKey: ['trades', id],
    queryFn: ({ signal }) => posthorn.getTrade({ tradeSessionId: id }, { signal }),
    refetchInterval: ({ state }) => (state.data ? renewAfter(state.data, serverNow()) : false),
  });

/** One trade: both sides, what is reserved, and everything that happened. */
export function TradePage() {
  const { id, accountId } = route.useParams();
  const trade = useQuery(tradeQuery(id));
  const above = (
    <TextLink to="/a/$accountId/trades" params={{ accountId }}>
      Trades
    </TextLink>
  );
  return (
    <LoadedPage query={trade} title="Trade" above={above}>
      {(data) => <InItsAccount trade={data} above={above} />}
    </LoadedPage>
  );
}

/**
 * Within an account that trades. A notification knows none: a member of several comes by its link to the one that was looked at
 * last, where this trade has no deliveries.
 */
function InItsAccount({ trade, above }: { trade: TradeDetail; above: ReactNode }) {
  const { id, accountId } = route.useParams();
  const { accounts } = useMe();
  // As events wrote them, which may be in capitals.
  const trading = [trade.initiator, trade.counterparty].map((side) => side.merchantAccountId.toLowerCase());
  const isMine = accounts.some((account) => account.id === accountId);
  const own = accounts.find((account) => trading.includes(account.id));
  if (isMine && own && !trading.includes(accountId)) {
    return <Navigate to="/a/$accountId/trades/$id" params={{ accountId: own.id, id }} replace />;
  }
  return <Shown trade={trade} above={above} />;
}

function Shown({ trade, above }: { trade: TradeDetail; above: ReactNode }) {
  const { tradeSessionId: id, status, reason, initiator, counterparty, timeline } = trade;
  const { accountId } = route.useParams();
  return (
    <Page
      title={`Trade ${id}`}
      heading={<span style={{ overflowWrap: 'anywhere' }}>{id}</span>}
      text={reason === null ? undefined : `Ended: ${reasonText(reason)}.`}
      above={above}
      actions={
        <>
          <StatusBadge status={status} />
          <LinkButton variant="default" to="/a/$accountId/deliveries" params={{ accountId }} search={{ trade: id }}>
            Deliveries
          </LinkButton>
          <CancelButton trade={trade} />
        </>
      }
    >
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Side title="Initiator" side={initiator} trade={trade} />
        <Side title="Counterparty" side={counterparty} trade={trade} />
      </SimpleGrid>
      <Reservations trade={trade} />
      <Stack gap="xs">
        <Title order={2}>What happened</Title>
        <TradeTimeline entries={timeline} />
      </Stack>
    </Page>
  );
}

function Side({ title, side, trade }: { title: string; side: TradeSide; trade: TradeDetail }) {
  const { currency, status } = trade;
  const money = new Intl.NumberFormat('en', { style: 'currency', currency });
  const { checkout, fulfillment } = side;
  const { accounts } = useMe();
  const own = accounts.find((account) => account.id === side.merchantAccountId?.toLowerCase());
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="xs">
        {title}
      </Title>
      <Facts
        facts={[
          ['User', side.userId],
          ['Merchant', own?.name ?? side.merchantAccountId ?? 'none'],
          ['Pays', `${money.format(side.tradeAmount)} (worth ${money.format(side.originalPrice)})`],
          ['Items', side.items.map(({ listingId, quantity }) => `${quantity} × ${listingId}`).join(', ') || 'none'],
          ['Checkout', checkout ? <Checkout checkout={checkout} of={status} /> : 'not begun, or not yours to see'],
          ['Fulfilment', fulfillment ? fulfillmentText(fulfillment, status) : 'not begun, or not yours to see'],
        ]}
      />
    </Paper>
  );
}

function Checkout({ checkout, of }: { checkout: NonNullable<TradeSide['checkout']>; of: TradeDetail['status'] }) {
  return (
    <>
      {checkoutText(checkout.status, of)}
      {checkout.paidAt !== null && (
        <>
          , paid <RelativeTime at={checkout.paidAt} />
        </>
      )}
      {checkout.refundDue && ', to be paid back'}
    </>
  );
}

function Reservations({ trade: { reservations, expiresAt } }: { trade: TradeDetail }) {
  if (reservations.length === 0 && expiresAt === null) return null;
  return (
    <Paper withBorder p="md">
      <Title order={2} mb="xs">
        Reserved
      </Title>
      {expiresAt !== null && (
        <Text size="sm">
          Cancelled <RelativeTime at={expiresAt} />, unless somebody pays before.
        </Text>
      )}
      {reservations.map(({ id, side, items, status }) => (
        <Text key={id} size="sm">
          <StatusBadge status={status} /> {side.toLowerCase()}:{' '}
          {items.map(({ listingId, quantity }) => `${quantity} × ${listingId}`).join(', ')}
        </Text>
      ))}
    </Paper>
  );
}

/** For operators. */
function CancelButton({ trade }: { trade: TradeDetail }) {
  const { user } = useMe();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => posthorn.cancelTrade({ tradeSessionId: trade.tradeSessionId }),
    onSuccess: () => notifyDone('The trade was cancelled.'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['trades'] }),
  });
  if (!user.operator || isOver(trade)) return null;
  const ask = async (): Promise<void> => {
    const isSure = await confirm({
      title: 'Cancel this trade?',
      text: 'Both sides are told, and what is reserved is given back. This cannot be undone.',
      action: 'Cancel the trade',
      keep: 'Let it go on',
    });
    if (isSure) cancel.mutate();
  };
  return (
    <SteadyButton variant="light" color="red" isBusy={cancel.isPending} onClick={() => void ask()}>
      Cancel the trade
    </SteadyButton>
  );
}

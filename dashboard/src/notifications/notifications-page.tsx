import { Group, SegmentedControl, Stack } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { posthorn } from '../api/client.ts';
import { NOTIFICATIONS_KEY, unreadQuery } from '../shell/unread-query.ts';
import { byCursor, CursorList } from '../ui/cursor-list.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { whileFirst } from '../ui/live.tsx';
import { Page } from '../ui/page.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';
import { EmailSwitch } from './email-switch.tsx';
import { columnsOf } from './notification-columns.tsx';
import { nextReadButton } from './next-read-button.ts';
import { useTradePath } from './use-trade-path.ts';

const route = getRouteApi('/shell/notifications');
const PAGE = 50;

/** What the service has told whoever is signed in: of their offers and trades, and of endpoints of their accounts. */
export function NotificationsPage() {
  const { unread: onlyUnread = false } = route.useSearch();
  const navigate = route.useNavigate();
  const tradePath = useTradePath();
  const list = useRef<HTMLDivElement>(null);
  const query = useNotifications(onlyUnread);
  const unread = query.data?.pages[0]?.unread ?? 0;
  const { readOne, readAll } = useReading(list);
  return (
    <Page
      title="Notifications"
      text="What you were told of your offers and trades, and of what needs you in your accounts."
      actions={
        <SteadyButton variant="default" isOff={unread === 0 || readAll.isPending} onClick={readAll.mutate}>
          Mark all as read
        </SteadyButton>
      }
    >
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Which notifications"
          data={[
            { value: 'all', label: 'All' },
            { value: 'unread', label: 'Unread' },
          ]}
          value={onlyUnread ? 'unread' : 'all'}
          onChange={(value) => void navigate({ search: value === 'unread' ? { unread: true } : {} })}
        />
        <EmailSwitch />
      </Group>
      <Stack ref={list}>
        <CursorList
          label="Notifications"
          columns={columnsOf({ tradePath, onRead: ({ id }) => readOne.mutate(id) })}
          query={query}
          queryKey={keyOf(onlyUnread)}
          rowKey={({ id }) => id}
          empty={
            <EmptyState
              title={onlyUnread ? 'You have read everything' : 'Nobody has told you anything yet'}
              text={
                onlyUnread
                  ? undefined
                  : 'What happens to your offers and trades will stand here, and endpoints of your accounts that were disabled.'
              }
            />
          }
        />
      </Stack>
    </Page>
  );
}

const keyOf = (onlyUnread: boolean) => [...NOTIFICATIONS_KEY, 'list', onlyUnread] as const;

/** The list, renewed by itself, and with it the number at the bell. */
function useNotifications(onlyUnread: boolean) {
  const queries = useQueryClient();
  return useInfiniteQuery({
    queryKey: keyOf(onlyUnread),
    async queryFn({ pageParam, signal }) {
      const which = onlyUnread ? { unread: true } : {};
      const page = await posthorn.listNotifications({ ...which, cursor: pageParam, limit: PAGE }, { signal });
      queries.setQueryData(unreadQuery.queryKey, page.unread);
      return page;
    },
    ...byCursor,
    refetchInterval: whileFirst(true),
  });
}

/** Marks one or all as read. The focus goes on to the next one, since the button that had it is gone. */
function useReading(list: { current: HTMLElement | null }) {
  const queries = useQueryClient();
  const renew = () => queries.invalidateQueries({ queryKey: NOTIFICATIONS_KEY });
  const readOne = useMutation({
    mutationFn: (id: string) => posthorn.readNotification({ id }),
    onMutate: () => nextReadButton(list.current),
    async onSuccess(_reply, _id, focusNext) {
      await renew();
      focusNext();
    },
  });
  const readAll = useMutation({ mutationFn: () => posthorn.readAllNotifications(), onSuccess: renew });
  return { readOne, readAll };
}

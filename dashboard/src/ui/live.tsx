import { Switch } from '@mantine/core';
import { type InfiniteData, type QueryKey, useQueryClient } from '@tanstack/react-query';

/** What is shown is at most so old, as long as somebody looks. Milliseconds. */
export const LIVE_MS = 3000;

interface Shown {
  state: { data: { pages: readonly unknown[] } | undefined };
}

/** `refetchInterval` of a list with cursors: renewed by itself while only its first page is shown. */
export const whileFirst =
  (isLive: boolean) =>
  ({ state }: Shown): number | false =>
    isLive && (state.data?.pages.length ?? 1) === 1 ? LIVE_MS : false;

interface LiveSwitchProps {
  live: boolean;
  onChange: (live: boolean) => void;
  /** The list that is renewed. */
  queryKey: QueryKey;
  /** How many of its pages are shown. */
  pages: number;
}

/** Whether the list is renewed by itself: off while older pages are open, and switched on goes back to the newest. */
export function LiveSwitch({ live, onChange, queryKey, pages }: LiveSwitchProps) {
  const queries = useQueryClient();
  const isDeep = pages > 1;
  const change = (next: boolean): void => {
    if (next && isDeep) queries.setQueryData<InfiniteData<unknown>>(queryKey, firstOf);
    onChange(next);
  };
  return (
    <Switch
      label={isDeep ? 'Live: back to the newest' : 'Live'}
      checked={live && !isDeep}
      onChange={(event) => change(event.currentTarget.checked)}
    />
  );
}

const firstOf = (data: InfiniteData<unknown> | undefined) =>
  data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) };

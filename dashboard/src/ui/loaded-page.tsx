import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Failure } from './failure.tsx';
import { Page } from './page.tsx';

interface LoadedPageProps<T> {
  query: UseQueryResult<T>;
  /** Of which kind the thing is, until it can be named itself: "Delivery". */
  title: string;
  above: ReactNode;
  children: (data: T) => ReactNode;
}

/**
 * The page of one thing, with all its states. What was read stays when it cannot be read anew: a short failure must not take
 * away what somebody is looking at.
 */
export function LoadedPage<T>({ query, title, above, children }: LoadedPageProps<T>) {
  const { data, error, refetch } = query;
  const { id } = useParams({ strict: false });
  const failure = error && <Failure error={error} what={title.toLowerCase()} id={id} onRetry={() => void refetch()} />;
  if (data === undefined) {
    return (
      <Page title={title} above={above}>
        {failure ?? <Skeleton h={300} />}
      </Page>
    );
  }
  return (
    <>
      {failure}
      {children(data)}
    </>
  );
}

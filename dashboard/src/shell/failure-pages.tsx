import { Container } from '@mantine/core';
import { PosthornError } from '@posthorn/client';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { Failure } from '../ui/failure.tsx';
import { LinkButton } from '../ui/links.tsx';

/**
 * In place of a page that could not be shown. What failed otherwise than by a reply is loaded anew as a whole: parts that did not come are
 * gone for good after an upgrade, and a style sheet that failed is not asked for again.
 */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const boundary = useQueryErrorResetBoundary();
  useEffect(() => boundary.reset(), [boundary]);
  const retry = (): void => {
    if (!(error instanceof PosthornError)) {
      window.location.reload();
      return;
    }
    reset();
    void router.invalidate();
  };
  return (
    <Container size="sm" py="xl">
      <Failure error={error} onRetry={retry} />
    </Container>
  );
}

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <EmptyState
      title="There is no such page"
      text="The address may be mistyped, or from an older version."
      action={
        <LinkButton to="/" variant="default" mt="sm">
          To the start
        </LinkButton>
      }
    />
  );
}

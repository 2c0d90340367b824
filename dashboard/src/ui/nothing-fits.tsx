import { Button } from '@mantine/core';
import { EmptyState } from './empty-state.tsx';

/** A list that its filters leave nothing of. */
export const NothingFits = ({ title, onClear }: { title: string; onClear: () => void }) => (
  <EmptyState
    title={title}
    text="Nothing has all of these properties."
    action={
      <Button variant="default" onClick={onClear}>
        Clear the filters
      </Button>
    }
  />
);

import { EmptyState } from '../ui/empty-state.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

/** One look is bounded: among millions there may be more, further back. */
export function LookFurther({ onLook, isLooking }: { onLook: () => void; isLooking: boolean }) {
  return (
    <EmptyState
      title="Nothing among the newest"
      text="There are older ones, which were not looked through yet."
      action={
        <SteadyButton variant="default" isBusy={isLooking} onClick={onLook}>
          Look further back
        </SteadyButton>
      }
    />
  );
}

import { AppError } from '../../../contracts/errors.ts';

/** What is thrown where a delivery that cannot be seen for a moment would make the answer wrong (docs/adr/0024). */
export const outOfSight = (): AppError =>
  new AppError('UNAVAILABLE', {
    message:
      'Deliveries past their retention are being moved, and what this is about may be among them. Try again soon.',
    headers: { 'retry-after': '5' },
  });

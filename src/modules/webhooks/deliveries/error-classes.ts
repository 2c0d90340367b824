import { ATTEMPT_ERROR_CLASSES, WITHOUT_ATTEMPT } from '../engine/rules.ts';
import { BY_REQUEST, PULLED, REPLAYED } from './ending-store.ts';

/** Every class that a delivery can have: of its last failed attempt, of why none was made, of why it was discarded. */
export const ERROR_CLASSES: readonly string[] = [
  ...ATTEMPT_ERROR_CLASSES,
  ...WITHOUT_ATTEMPT,
  'ENDPOINT_DELETED',
  REPLAYED,
  PULLED,
  BY_REQUEST,
];

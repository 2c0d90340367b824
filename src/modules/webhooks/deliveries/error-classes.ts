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

/** Those that a dead letter can have: of its last attempt, or of a fault of ours that did not end (`judge` and `isPoison`, engine/rules.ts). */
export const DEAD_LETTER_ERROR_CLASSES: readonly string[] = [...ATTEMPT_ERROR_CLASSES, 'INTERNAL'];

import { oneOf, text } from '../lib/search.ts';

export const RECEIVERS = ['MERCHANT', 'BUSINESS', 'NOBODY'] as const;
export type Receiver = (typeof RECEIVERS)[number];

/** What stands in the address of the catalogue. */
export interface CatalogueSearch {
  q?: string;
  to?: Receiver;
  /** The one that is open. */
  event?: string;
}

export const catalogueSearch = (search: Record<string, unknown>): CatalogueSearch => ({
  q: text(search['q']),
  to: oneOf(search['to'], ...RECEIVERS),
  event: text(search['event']),
});

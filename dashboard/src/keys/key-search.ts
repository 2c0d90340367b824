import { pageNumber, text } from '../lib/search.ts';

/** What stands in the address of the keys of all accounts. */
export interface AllKeysSearch {
  account?: string;
  page?: number;
}

export const allKeysSearch = (search: Record<string, unknown>): AllKeysSearch => ({
  account: text(search['account']),
  page: pageNumber(search['page']),
});

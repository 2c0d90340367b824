import { oneOf, span, type SpanSearch, text } from '../lib/search.ts';
import { type Area, AREAS } from './change-texts.ts';

/** What stands in the address of the changes of an account. */
export interface ChangeSearch extends SpanSearch {
  what?: Area;
  /** Id of a user or API key. */
  by?: string;
  /** Id of what was changed. */
  thing?: string;
}

/** Of all accounts: those that concern one as well. */
export interface AllChangesSearch extends ChangeSearch {
  account?: string;
}

export const changeSearch = (search: Record<string, unknown>): ChangeSearch => ({
  what: oneOf(search['what'], ...AREAS),
  by: text(search['by']),
  thing: text(search['thing']),
  ...span(search),
});

export const allChangesSearch = (search: Record<string, unknown>): AllChangesSearch => ({
  account: text(search['account']),
  ...changeSearch(search),
});

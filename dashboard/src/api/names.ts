import { capital } from '../lib/format.ts';

/** What fields and parameters of the API are called on the pages: by the labels of forms and filters. */
const NAMES: Readonly<Record<string, string>> = {
  accountId: 'Account',
  at: 'Date and time',
  body: 'Text',
  causedBy: 'The event that caused it',
  commentId: 'Comment',
  coverImageUrl: 'Cover image',
  coverImageAlt: 'Cover description',
  days: 'Number of days',
  email: 'E-mail',
  endpointId: 'Endpoint',
  errorClass: 'Cause',
  maxInFlight: 'Requests at once',
  offerId: 'Offer id',
  postId: 'Post',
  q: 'Search',
  ratePerSecond: 'Requests per second',
  requestId: 'Request id',
  seoDescription: 'Search description',
  seoTitle: 'Search title',
  since: 'From',
  subjectId: 'Id of what it is about',
  tradeSessionId: 'Trade id',
  url: 'Address',
};

/** "replacedBy" is "Replaced by". */
const inWords = (name: string): string => capital(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

const nameOf = (field: string): string => NAMES[field] ?? inWords(field);

/** "Endpoint is no id": a fault of a field as a sentence for who sees its label. `path`: "query.endpointId", "body.headers.X-Tenant". */
export function faultText({ path, message }: { path: string; message: string }): string {
  const [field = '', ...within] = path.replace(/^(?:body|query)\./, '').split('.');
  const said = message
    .replace('must be a UUID', 'is no id')
    .replaceAll(/`([a-z]\w*)`/gi, (_all, name: string) => `“${nameOf(name)}”`);
  return [nameOf(field), ...within, said].join(' ');
}

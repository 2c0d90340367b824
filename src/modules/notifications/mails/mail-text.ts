import type { ClaimedMail } from './store.ts';

/** Ids come from the marketplace: one line, and nothing that a terminal or mail program acts on. */
const oneLine = (text: string): string => text.replaceAll(/\p{C}+/gu, ' ').trim();

const FOOTER =
  'You get this e-mail because it concerns you or an account that you look after. You can turn such e-mails off in the settings of your notifications.';

/** Subject and text of the e-mail that tells of a notification. */
export function mailText({ text, offerId, tradeSessionId }: Pick<ClaimedMail, 'text' | 'offerId' | 'tradeSessionId'>): {
  subject: string;
  text: string;
} {
  const about = [
    ...(tradeSessionId === null ? [] : [`Trade: ${oneLine(tradeSessionId)}`]),
    ...(offerId === null ? [] : [`Offer: ${oneLine(offerId)}`]),
  ];
  return {
    subject: oneLine(text).replace(/\.$/, ''),
    text: [text, ...(about.length === 0 ? [] : [about.join('\n')]), FOOTER].join('\n\n').concat('\n'),
  };
}

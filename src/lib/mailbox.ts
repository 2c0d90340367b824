/** A person or service by name and e-mail address. */
export interface Mailbox {
  /** May be empty. */
  name: string;
  address: string;
}

const WORD = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** What mail servers take everywhere: no quotes, comments, spaces or controls (RFC 5321 §4.1.2, §4.5.3.1). */
const ADDRESS = new RegExp(`^${WORD}(?:\\.${WORD})*@${LABEL}(?:\\.${LABEL})*$`, 'i');

/** Whether mail can be sent there without any risk of its being read as something else than one address. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && text.lastIndexOf('@') <= 64 && ADDRESS.test(text);

/** `a@example.com` or `Name <a@example.com>`; null for anything else. */
export function parseMailbox(text: string): Mailbox | null {
  const match = /^(?:([^<>"\p{C}]*) )?<([^<>]*)>$/u.exec(text.trim());
  const { name, address } = match
    ? { name: match[1] ?? '', address: match[2] ?? '' }
    : { name: '', address: text.trim() };
  return isMailAddress(address) ? { name: name.trim(), address } : null;
}

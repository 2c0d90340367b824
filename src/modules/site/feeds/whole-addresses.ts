/** In `bodyHtml`, which is written by the service: every value stands in `"`, and no `<` or `>` in one, though `src=` may end one. */
const ADDRESS = /(<(?:a|img)(?: [^\s"=<>]+(?:="[^"<>]*")?)*? (?:href|src)=")(?!(?:[a-z][a-z0-9+.-]*:|\/\/))([^"]*)/gi;

/**
 * The HTML of a post with addresses that mean the same outside of its page: readers of RSS and JSON Feed do not know
 * from where others go on.
 */
export function withWholeAddresses(html: string, url: string): string {
  const { origin } = new URL(url);
  const folder = url.slice(0, url.lastIndexOf('/') + 1);
  const baseOf = (address: string): string => {
    if (address.startsWith('/')) return origin;
    return /^[#?]/.test(address) ? url : folder;
  };
  return html.replaceAll(ADDRESS, (_found, before: string, address: string) => before + baseOf(address) + address);
}

/** A reference that leads from one path to another, which may have a query (RFC 3986 §4.2). Both begin with a slash. */
export function relativeTo(from: string, to: string): string {
  const [there = '', query] = to.split('?', 2);
  const [folders, parts] = [from.split('/').slice(1, -1), there.split('/').slice(1)];
  let same = 0;
  while (same < folders.length && same < parts.length - 1 && folders[same] === parts[same]) same++;
  const way = '../'.repeat(folders.length - same) + parts.slice(same).join('/');
  return `${way === '' ? './' : way}${query === undefined ? '' : `?${query}`}`;
}

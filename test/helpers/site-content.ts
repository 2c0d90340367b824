import type { SiteFixture } from './site.ts';

/** A picture that goes nowhere. */
export const PICTURE = 'https://images.example/harbour.svg';

export const ESSAY = `It begins with a harbour, as many things do, and with a question that nobody had asked for a long time.

## What the tide brings

The estuary widens by a hand's breadth every year. A [chart](https://example.org/chart) shows it, and so does \`depth\`:

\`\`\`ts
// Metres at mean low water.
export function depth(at: Date, { gauge = 3.2 } = {}): number {
  return gauge * Math.sin(at.getTime() / 44_712_000) + 'deep'.length;
}
\`\`\`

> A chart is a promise that the sea does not know of.

### How it is measured

1. Go out at slack water.
2. Let the line run until it **stops**.
3. Write it down, *then* haul in.

| Place | Low | High |
|:------|----:|-----:|
| Inner basin | 2.1 | 5.9 |
| Outer mole | 4.4 | 8.3 |

## What stays

- [x] Stones
- [ ] Sand, which goes where it likes

Everything else is written in the log.[^1]

[^1]: Kept since 1871.

## And what does not

The rest of it is a matter of patience.
`;

/** A small blog with everything in it that a page can show; the slug of its richest post. */
export async function fillSite(site: SiteFixture): Promise<string> {
  const titles = [
    'Notes from the pilot boat',
    'On knots',
    'Rain gauges, and who reads them',
    'The lighthouse ledger',
    'Salt',
  ];
  for (const [i, title] of titles.entries()) {
    const category = ['Notes', 'Craft', 'Weather', 'History', 'Notes'][i] as string;
    await site.publish({ title, category, tags: ['sea', `tag ${i}`], body: ESSAY }, `2026-0${i + 1}-15T10:00:00.000Z`);
  }
  for (let i = 0; i < 12; i++) {
    await site.publish(
      { title: `Log entry ${i + 1}`, category: 'Logs', tags: ['log'] },
      `2025-11-${10 + i}T08:00:00.000Z`,
    );
  }
  await site.publish(
    {
      title: 'A harbour is a decision',
      category: 'Craft',
      featured: true,
      excerpt: 'Why somebody, once, put stones into the sea.',
      body: ESSAY,
    },
    '2026-06-01T09:00:00.000Z',
  );
  const { slug } = await site.publish(
    {
      title: 'Estuaries widen slowly, then all at once',
      category: 'Weather',
      tags: ['sea', 'measuring', 'history'],
      excerpt: 'What a hundred and fifty years of soundings say about sand.',
      coverImageUrl: PICTURE,
      coverImageAlt: 'Boats in a harbour at low tide',
      body: ESSAY,
    },
    '2026-05-20T09:00:00.000Z',
  );
  return slug;
}

import { writeFileSync } from 'node:fs';
import { eventsDoc } from '../src/contracts/events/doc.ts';

/** Writes docs/events.md from the catalogue. */
const file = new URL('../docs/events.md', import.meta.url);
writeFileSync(file, eventsDoc());
console.log('docs/events.md written');

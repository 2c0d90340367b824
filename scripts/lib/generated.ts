import { describeApi } from '../../src/app/describe.ts';
import { eventsDoc } from '../../src/contracts/events/doc.ts';
import { settingsDoc } from '../../src/platform/config/index.ts';

/** Every file of the repository that the code makes, by path: written by scripts/openapi.ts, compared by a test. */
export async function generatedFiles(): Promise<Map<string, string>> {
  return new Map([
    ['openapi.json', `${JSON.stringify(await describeApi(), null, 2)}\n`],
    ['docs/settings.md', settingsDoc()],
    ['docs/events.md', eventsDoc()],
  ]);
}

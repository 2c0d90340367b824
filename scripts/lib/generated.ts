import { describeApi } from '../../src/app/describe.ts';
import { eventsDoc } from '../../src/contracts/events/doc.ts';
import { settingsDoc } from '../../src/platform/config/index.ts';
import { clientTypes, type OpenApi } from './client-types.ts';
import { formatted } from './formatted.ts';

/** Every file of the repository that the code makes, by path: written by scripts/openapi.ts, compared by a test. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const api = await describeApi();
  return new Map([
    ['openapi.json', `${JSON.stringify(api, null, 2)}\n`],
    ['client/src/generated.ts', await formatted('client/src/generated.ts', clientTypes(api as unknown as OpenApi))],
    ['docs/settings.md', settingsDoc()],
    ['docs/events.md', eventsDoc()],
  ]);
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedFiles } from './lib/generated.ts';
import { ROOT } from './lib/step.ts';

/** `npm run openapi`: writes what is made from the code, after routes, settings or events have changed. */
for (const [path, text] of await generatedFiles()) {
  writeFileSync(join(ROOT, path), text);
  console.log(`${path} written`);
}

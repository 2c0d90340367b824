import { main } from './app/main.ts';

await main(process.argv.slice(2));

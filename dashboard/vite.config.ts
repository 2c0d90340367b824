import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressFiles } from './compress-files.ts';

/** Where `npm run dev -w dashboard` finds a running service. */
const SERVICE = process.env.POSTHORN_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  base: '/dashboard/',
  resolve: {
    alias: { '@posthorn/client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) },
  },
  // The service puts a new nonce in its place with every reply: see src/platform/http/static-site.ts.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2022',
    // Browsers that know light-dark() (2024): put in terms of older ones it would not follow the chosen colours.
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // Inlined files would be `data:` addresses, which the policy does not let in.
    assetsInlineLimit: 0,
    // An engineer who looks for a fault in the page has the sources at hand.
    sourcemap: false,
    chunkSizeWarningLimit: 1000,
  },
  server: { proxy: { '/v1': SERVICE } },
  plugins: [react(), compressFiles()],
});

import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { brotli } from './tools/brotli.ts';

const src = fileURLToPath(new URL('./src', import.meta.url));

/** Where `npm run dev` sends API calls: the address `vigie up` printed. */
const server = process.env.VIGIE_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), brotli()],
  resolve: { alias: { '~': src } },
  server: { proxy: { '/api': server }, fs: { allow: ['.', '../libs/texts', '../docs/guide'] } },
  build: {
    // The policy allows no `data:` script and flags are fetched one by one, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_500,
    rolldownOptions: {
      output: {
        // Shared code would be named after all screens that share it.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        assetFileNames: ({ names: [name = ''] }) =>
          `assets/${name.replace(/~[^.]*/, '').replace(/\.[^.]*$/, '')}-[hash][extname]`,
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler|react-is)[\\/]/, priority: 3 },
            // A request costs more than the code of a small file: what every page needs is one.
            { name: 'app', tags: ['$initial'], priority: 2 },
            // What the same screens share is one file too.
            { name: 'shared', minShareCount: 2, entriesAware: true, priority: 1 },
          ],
        },
      },
    },
  },
});

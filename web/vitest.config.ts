import { playwright } from '@vitest/browser-playwright';
import { defineConfig, mergeConfig } from 'vitest/config';
import { launchOptions } from './tools/browser.ts';
import vite from './vite.config.ts';

/** Rules and formats run in Node; what needs layout, focus and a clipboard runs in the browser of the captures. */
export default mergeConfig(
  vite,
  defineConfig({
    // Two runs at once, each of a part of the tests, may not prepare libraries in one folder.
    cacheDir: `node_modules/.vite/${process.env.VIGIE_VITEST_CACHE ?? 'first'}`,
    test: {
      projects: [
        {
          extends: true,
          test: {
            name: 'unit',
            environment: 'jsdom',
            // The tests share no state but storage, which they clear: one window serves them all.
            isolate: false,
            include: ['src/**/*.test.{ts,tsx}'],
            exclude: ['src/**/*.browser.test.tsx'],
            env: { TZ: 'Europe/Paris' },
          },
        },
        {
          extends: true,
          // Found at the start: a library that is first met by a later test would reload the page under it.
          optimizeDeps: { entries: ['src/**/*.tsx'] },
          test: {
            name: 'component',
            // As in playwright.config.ts.
            retry: process.env.CI ? 1 : 0,
            include: ['src/**/*.browser.test.tsx'],
            browser: {
              enabled: true,
              headless: true,
              screenshotFailures: false,
              provider: playwright({
                launchOptions,
                contextOptions: { locale: 'en-GB', timezoneId: 'Europe/Paris', reducedMotion: 'reduce' },
              }),
              instances: [{ browser: 'chromium', viewport: { width: 1440, height: 900 } }],
            },
          },
        },
      ],
    },
  }),
);

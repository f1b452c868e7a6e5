import { defineConfig } from '@playwright/test';
import { launchOptions } from './tools/browser.ts';

/** Runs against a stack that is already up: its address and one of its users come from the environment (see e2e/fixtures.ts). */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.e2e.ts',
  // Takes the pictures of the guide, for which it is asked by hand.
  testIgnore: process.env.VIGIE_GUIDE_PICTURES ? [] : '**/guide-pictures.e2e.ts',
  fullyParallel: true,
  workers: 2,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  // Several browsers share two processors with a whole stack; a pass on the second try is reported as flaky.
  retries: process.env.CI ? 1 : 0,
  forbidOnly: true,
  use: {
    baseURL: process.env.VIGIE_URL,
    // A click that waits says what it waits for, instead of the test that it was slow.
    actionTimeout: 30_000,
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    screenshot: 'only-on-failure',
    launchOptions,
    contextOptions: { reducedMotion: 'reduce' },
  },
});

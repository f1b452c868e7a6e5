import { existsSync } from 'node:fs';

/** Debian's, the one without windows first: it is the same engine and needs less than half the processor time. */
const INSTALLED = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'];

const executablePath = [process.env.CHROMIUM ?? '', ...INSTALLED].find(existsSync);

/** How tests start their browser: `CHROMIUM`, or what Debian installs, or Playwright's own. */
export const launchOptions = {
  // Chromium's own sandbox refuses root.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  ...(executablePath ? { executablePath } : {}),
};

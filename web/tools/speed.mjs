// Measures the lists in a browser against their budgets, and fails when one is missed. It asks a stack that is already up, which
// needs more than 500 domains:
//
//   VIGIE_URL=http://127.0.0.1:8080 VIGIE_EMAIL=admin@vigie.example VIGIE_PASSWORD=… npm run speed
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright';

const { VIGIE_URL: url, VIGIE_EMAIL: email, VIGIE_PASSWORD: password } = process.env;
if (!url || !email || !password) {
  console.error("set VIGIE_URL, VIGIE_EMAIL and VIGIE_PASSWORD as printed by 'vigie up'");
  process.exit(2);
}

/** A processor four times slower, and the line of a good phone. */
const SLOW = { cpu: 4, latency: 40, bytesPerSecond: (10 * 1_000_000) / 8 };
/** A figure is the median of so many pages. */
const ROUNDS = 3;
/** From here on a task is long. */
const LONG_TASK_MS = 50;
const MIB = 1 << 20;

const system = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({
  ...(existsSync(system) && { executablePath: system }),
  // Chromium's own sandbox refuses root.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});

const day = 86_400_000;
const date = { start: new Date(Date.now() - 60 * day).toISOString(), end: new Date(Date.now() + day).toISOString() };

/** The Domains list over all brands. */
function listAddress(perPage) {
  const keys = { page: 1, perPage, order: 'nbViews', direction: 'DESC', date: { type: 'between', value: date } };
  const query = new URLSearchParams(Object.entries(keys).map(([key, value]) => [key, JSON.stringify(value)]));
  return `${url}/domains?${query}&lng=en`;
}

/** A page of a browser that has seen nothing before, signed in, that notes long tasks and how soon it answers to its user. */
async function open({ slow = false } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  const login = await context.request.post(`${url}/api/UserAccounts/login`, {
    data: { email, password },
    headers: { 'X-Requested-With': 'vigie' },
  });
  if (!login.ok()) throw new Error(`the sign-in failed: ${login.status()} ${await login.text()}`);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  if (slow) {
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu });
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: SLOW.latency,
      downloadThroughput: SLOW.bytesPerSecond,
      uploadThroughput: SLOW.bytesPerSecond,
    });
  }
  await page.addInitScript(() => {
    window.longTasks = [];
    window.interactions = [];
    new PerformanceObserver((list) =>
      window.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({
      type: 'longtask',
      buffered: true,
    });
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId) window.interactions.push(duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  });
  return { page, devtools, close: () => context.close() };
}

const rows = (page) => page.getByRole('gridcell').first().waitFor();

/** Waits until the page has nothing under way and the browser has painted. */
async function settled(page) {
  await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(() => done(), { timeout: 1_000 }))),
  );
}

/** Processor time of the renderer's main thread so far, in ms. */
async function taskTime(devtools) {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000;
}

/** Memory that the page's process has for itself, in MiB: of all renderers the largest, since the browser keeps a spare one. */
async function memory() {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  await devtools.detach();
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(async ({ id }) => {
      const text = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
      const kib = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)].map(([, size]) => Number(size));
      return (kib.reduce((sum, size) => sum + size, 0) * 1_024) / MIB;
    });
  return Math.max(...(await Promise.all(sizes)));
}

async function firstRows(slow) {
  const { page, close } = await open({ slow });
  await page.goto(listAddress(30), { waitUntil: 'commit' });
  await rows(page);
  const measured = await page.evaluate(() => ({
    rows: performance.now(),
    paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  }));
  await close();
  return measured;
}

/** What readers do with 500 rows: the processor time of each act, how soon it shows, and the tasks that are in the way. */
async function fiveHundred(slow) {
  const { page, devtools, close } = await open({ slow });
  const cost = {};
  const act = async (name, deed) => {
    const before = await taskTime(devtools);
    await deed();
    await settled(page);
    cost[name] = (await taskTime(devtools)) - before;
  };
  await act('load', async () => {
    await page.goto(listAddress(500), { waitUntil: 'commit' });
    await rows(page);
  });
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => {
    window.longTasks.length = 0;
  });
  await page.mouse.move(720, 500);
  for (let step = 0; step < 40; step += 1) {
    await page.mouse.wheel(0, 550);
    await page.waitForTimeout(50);
  }
  await settled(page);
  const scrolled = await page.evaluate(() => window.longTasks.splice(0));
  await act('sort', () => page.getByRole('columnheader', { name: /^Views/ }).click());
  await act('selectAll', () => page.getByRole('checkbox', { name: 'Select all rows of this page' }).check());
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).uncheck();
  await act('portal', async () => {
    await page
      .getByRole('button', { name: /^Show the ads of / })
      .first()
      .click();
    await page
      .getByRole('region', { name: /^Ads of / })
      .getByRole('table')
      .first()
      .waitFor();
  });
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  const drawn = await page.getByRole('row').count();
  await page.keyboard.press('Escape');
  await act('filter', () => page.getByRole('searchbox', { name: 'Search in this page' }).fill('mart'));
  const after = await page.evaluate(() => ({ tasks: window.longTasks, interactions: window.interactions }));
  await close();
  return {
    ...cost,
    nodes,
    drawn,
    scroll: Math.max(0, ...scrolled),
    task: Math.max(0, ...after.tasks),
    interaction: Math.max(0, ...after.interactions),
  };
}

/** The same page with 10,000 rows: those of one answer, again and again under other names. */
async function everything() {
  const { page, close } = await open();
  await page.route(/\/api\/Sems\/findAdvertisers\?/, async (route) => {
    const asked = route.request().url();
    const answer = await route.fetch({ url: asked.replace(/page%5Bsize%5D=0|page\[size\]=0/, 'page[size]=500') });
    const list = await answer.json();
    const data = Array.from({ length: 10_000 }, (_, index) => {
      const row = list.data[index % list.data.length];
      return { ...row, id: `${index}.${row.id}`, domain: `${index}.${row.domain}` };
    });
    await route.fulfill({ json: { ...list, data } });
  });
  await page.goto(listAddress('all'));
  await rows(page);
  await page.waitForLoadState('networkidle');
  await page.mouse.move(720, 500);
  for (let step = 0; step < 40; step += 1) {
    await page.mouse.wheel(0, 10_000);
    await page.waitForTimeout(30);
  }
  await settled(page);
  const size = await memory();
  await close();
  return size;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** The median of every figure over some rounds. */
async function rounds(measure) {
  const found = [];
  for (let round = 0; round < ROUNDS; round += 1) found.push(await measure());
  return Object.fromEntries(Object.keys(found[0]).map((key) => [key, median(found.map((one) => one[key]))]));
}

let over = 0;
function report(name, value, most, unit) {
  const bad = value > most;
  if (bad) over += 1;
  console.log(`${bad ? 'OVER' : 'ok  '} ${name.padEnd(52)} ${value.toFixed(0).padStart(6)} of ${most} ${unit}`);
}

const slow = await rounds(() => firstRows(true));
const fast = await rounds(() => firstRows(false));
const full = await rounds(() => fiveHundred(false));
const throttled = await rounds(() => fiveHundred(true));
const all = await everything();
await browser.close();

report('4 times slower, 10 Mbit/s: first paint', slow.paint, 1_800, 'ms');
report('4 times slower, 10 Mbit/s: first rows', slow.rows, 2_500, 'ms');
report('full speed: first rows', fast.rows, 1_200, 'ms');
report('500 rows, processor time: load', full.load, 900, 'ms');
report('500 rows, processor time: sort', full.sort, 400, 'ms');
report('500 rows, processor time: text filter', full.filter, 250, 'ms');
report('500 rows, processor time: open the portal', full.portal, 250, 'ms');
report('500 rows, processor time: select all', full.selectAll, 200, 'ms');
report('500 rows: rows in the page', full.drawn, 60, 'rows');
report('500 rows: elements in the page', full.nodes, 5_000, 'elements');
report('500 rows, 4 times slower: longest answer to a user', throttled.interaction, 200, 'ms');
report('500 rows, 4 times slower: longest task after rows', throttled.task, 200, 'ms');
report('500 rows, 4 times slower: longest task of scrolling', throttled.scroll, LONG_TASK_MS, 'ms');
report('10,000 rows, scrolled through: memory of the tab', all, 300, 'MiB');
process.exit(over > 0 ? 1 : 0);

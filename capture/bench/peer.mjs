// The other side of the capture bench: puppeteer-cluster, doing what the pool does. Speaks as examples/bench_capture.rs.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [modules, chromium, engine, pages, tabs, screenshot, mode] = process.argv.slice(2);
const require = createRequire(`${modules}/package.json`);
const { Cluster } = require('puppeteer-cluster');
const puppeteer = require('puppeteer-core');

const WARM_UP = 6;
const DEADLINE_MS = 45_000;
const inPages = mode !== 'context';

const cluster = await Cluster.launch({
    concurrency: inPages ? Cluster.CONCURRENCY_PAGE : Cluster.CONCURRENCY_CONTEXT,
    maxConcurrency: Number(tabs),
    timeout: DEADLINE_MS,
    puppeteer,
    puppeteerOptions: {
        executablePath: chromium,
        headless: chromium.includes('headless-shell') ? 'shell' : true,
        defaultViewport: { width: 1366, height: 900 },
        args: ['--no-sandbox', `--host-resolver-rules=MAP serp.test ${engine}, MAP * ~NOTFOUND`],
    },
});

let bytes = 0;
await cluster.task(async ({ page, data: url }) => {
    // A context is new and empty; a page shares its state with those before it unless it is cleared.
    if (mode === 'page-cleared') await clear(page, url);
    await page.goto(url, { waitUntil: 'load' });
    bytes += (await page.content()).length;
    if (screenshot === 'screenshot') await page.screenshot({ type: 'webp', quality: 60, fullPage: true });
});

async function clear(page, url) {
    const session = await page.createCDPSession();
    await Promise.all([
        session.send('Network.clearBrowserCookies'),
        session.send('Network.clearBrowserCache'),
        session.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes: 'all' }),
    ]);
    await session.detach();
}

async function capture(word, count) {
    const failures = [];
    const failed = (error) => failures.push(error);
    cluster.on('taskerror', failed);
    for (let number = 0; number < count; number += 1) {
        cluster.queue(`http://serp.test/google/search?q=${word}+${number}&hl=fr&gl=fr`);
    }
    await cluster.idle();
    cluster.off('taskerror', failed);
    if (failures.length > 0) throw failures[0];
}

await capture('warm', WARM_UP);
console.log('ready');
for await (const _line of createInterface({ input: process.stdin })) {
    bytes = 0;
    const begun = performance.now();
    await capture('term', Number(pages));
    console.log(`done ${(performance.now() - begun) / 1000} ${bytes}`);
}
await cluster.close();

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { captureWithAds } from './captures';
import { expect, test } from './fixtures';

/*
 * What stands on a captured page belongs to others. The viewing copy is made harmless when it is stored; here it is replaced by the worst
 * page on its way to the browser, under the very headers and frame of the real viewer, so that these alone are put to the test.
 */

/** Everything a page can ask for, and ways to reach what is around it. `mark` names who asks. */
const hostilePage = (listener: string, mark: string) => {
  const at = (what: string) => `${listener}/${mark}/${what}`;
  return `<!doctype html><html><head><title>hostile</title>
    <meta http-equiv="refresh" content="1;url=${at('refresh')}">
    <link rel="stylesheet" href="${at('style')}">
    <link rel="prefetch" href="${at('prefetch')}"><link rel="preload" as="image" href="${at('preload')}">
    <link rel="dns-prefetch" href="//beacon.example"><link rel="icon" href="${at('icon')}">
    <base href="${at('base/')}">
    <style>@import "${at('import')}"; body { background: url(${at('background')}) }
      @font-face { font-family: f; src: url(${at('font')}) } p { font-family: f }</style>
    <script>
      try { parent.document.title = 'owned'; parent.document.cookie = 'owned=1'; } catch {}
      try { parent.postMessage('owned', '*'); } catch {}
      fetch('${at('fetch')}', { mode: 'no-cors' }); new Image().src = '${at('scripted')}';
      navigator.sendBeacon('${at('beacon')}'); open('${at('popup')}');
    </script></head>
    <body onload="new Image().src='${at('handler')}'"><p>text</p>
    <img src="${at('image')}" srcset="${at('srcset')} 2x"><img src="relative">
    <iframe src="${at('frame')}"></iframe><object data="${at('object')}"></object><embed src="${at('embed')}">
    <video poster="${at('poster')}" src="${at('video')}" autoplay></video><audio src="${at('audio')}" autoplay></audio>
    <svg width="9" height="9"><image href="${at('svg')}" width="9" height="9"/></svg>
    <form action="${at('form')}"><button id="send">send</button></form>
    <a id="popup" target="_blank" href="${at('link')}">popup</a> <a id="top" target="_top" href="${at('top')}">top</a>
    <a id="self" href="${at('self')}">self</a></body></html>`;
};

/** What an unprotected browser asks for without a click. The slowest is the last: the refresh comes after a second. */
const SEEN_UNPROTECTED = ['style', 'background', 'image', 'frame', 'poster', 'svg', 'fetch', 'handler', 'refresh'];

const listen = (server: Server) =>
  new Promise<string>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );

/** Passes requests on to the stack, with another body for captured pages. */
async function passOn(request: IncomingMessage, response: ServerResponse, body: () => string): Promise<void> {
  const upstream = await fetch(new URL(request.url ?? '/', process.env.VIGIE_URL), {
    headers: { accept: request.headers.accept ?? '*/*' },
    redirect: 'manual',
  });
  const bytes = Buffer.from(await upstream.arrayBuffer());
  const headers = [...upstream.headers].filter(
    ([name]) => !/^(content-(length|encoding)|transfer-encoding)$/.test(name),
  );
  response.writeHead(upstream.status, Object.fromEntries(headers));
  response.end(request.url?.includes('/htmlContent') ? body() : bytes);
}

test('a hostile captured page asks for nothing and reaches nothing', async ({ signedIn, browser }) => {
  const { requestID } = await captureWithAds(signedIn);
  const asked: string[] = [];
  const listener = createServer((request, response) => {
    if (request.url === '/control') {
      response.setHeader('content-type', 'text/html');
      response.end(hostilePage(beacons, 'control'));
      return;
    }
    asked.push(request.url ?? '');
    response.end();
  });
  const beacons = await listen(listener);
  const proxy = createServer((request, response) => {
    void passOn(request, response, () => hostilePage(beacons, 'viewer'));
  });
  const origin = await listen(proxy);
  const context = await browser.newContext();
  const apart = await browser.newContext();
  const by = (mark: string) => asked.filter((path) => path.startsWith(`/${mark}/`));

  try {
    const viewer = await context.newPage();
    const address = `${origin}/public-html-ad-content/${requestID}`;
    await viewer.goto(address);
    const frame = viewer.frameLocator('iframe');
    await expect(frame.getByText('text', { exact: true })).toBeVisible();
    // The form, the popup and the way out of the frame, also when somebody clicks.
    for (const id of ['send', 'popup', 'top']) await frame.locator(`#${id}`).click();

    const direct = await context.newPage();
    const page = `${origin}/api/capture-iframe/${requestID}/htmlContent?page=1&domain=none&adstype=none`;
    await direct.goto(page);
    await expect(direct.getByText('text', { exact: true })).toBeVisible();

    // Opened later and without protection, the same page is heard: whatever the others would have sent had come by then.
    const control = await apart.newPage();
    await control.goto(`${beacons}/control`, { waitUntil: 'commit' });
    await expect
      .poll(() => SEEN_UNPROTECTED.filter((what) => !asked.includes(`/control/${what}`)), { timeout: 15_000 })
      .toEqual([]);

    expect(by('viewer')).toEqual([]);
    expect(viewer.url()).toBe(address);
    expect(direct.url()).toBe(page);
    await expect(viewer).toHaveTitle('Vigie | search engine capture');
    expect(await viewer.evaluate(() => document.cookie)).not.toContain('owned');
    expect(context.pages(), 'no popup').toEqual([viewer, direct]);
  } finally {
    await context.close();
    await apart.close();
    listener.close();
    proxy.close();
  }
});

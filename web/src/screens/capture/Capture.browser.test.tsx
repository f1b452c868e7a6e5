import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import type { CaptureResult } from '~/api/queries/captures';
import { i18next, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { toast } from '~/ui/toast';
import { Capture } from './Capture';

const ID = '0b7c1a52-6f5e-4f52-8d58-2f1f6a1f7e55';
const capture: CaptureResult = {
  requestID: ID,
  job: { engine: 'bing', locale: 'en_GB', term: 'red shoes', device: 'desktop' },
  createdDate: '2026-03-02T07:05:09.000Z',
  verdict: 'results',
  ad: 4,
  hasScreenshot: false,
};

const json = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const failure = (status: number, code?: string) =>
  json(status, { error: { statusCode: status, message: 'gone', code } });

function show(search = '') {
  const screen = () => (
    <div style={{ height: '90vh', display: 'flex', flexDirection: 'column' }}>
      <Capture />
    </div>
  );
  renderRoute('/c/$requestID', screen, `/c/${ID}${search}`);
}

const frame = () => document.querySelector('iframe') as HTMLIFrameElement;

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await i18next.loadNamespaces(['capture', 'market', 'list', 'common']);
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

describe('the capture viewer', () => {
  it('says what was searched, where and when', async () => {
    vi.spyOn(window, 'fetch').mockResolvedValue(json(200, { data: capture }));
    show();
    const heading = page.getByRole('heading', { level: 1 });
    await expect
      .element(heading)
      .toHaveTextContent('Taken on Bing en_GB at 02/03/2026 8:05:09 with keywords red shoes');
  });

  it('opens the page at the ad, in a frame that can do nothing', async () => {
    vi.spyOn(window, 'fetch').mockResolvedValue(json(200, { data: capture }));
    show('?domain=shop.example&adstype=ads');
    await expect.poll(frame).toBeTruthy();
    expect(frame().getAttribute('sandbox')).toBe('');
    const address = new URL(frame().src);
    expect(address.pathname).toBe(`/api/capture-iframe/${ID}/htmlContent`);
    expect(Object.fromEntries(address.searchParams)).toEqual({ page: '1', domain: 'shop.example', adstype: 'ads' });
    expect(address.hash).toBe('#ad-4');
  });

  it('makes a page of a desktop smaller where there is no room for it', async () => {
    vi.spyOn(window, 'fetch').mockResolvedValue(json(200, { data: capture }));
    await page.viewport(640, 800);
    show();
    await expect.poll(frame).toBeTruthy();
    expect(frame().style.width).toBe('1280px');
    const shown = frame().getBoundingClientRect();
    expect(shown.width).toBeLessThanOrEqual(640);
    expect(shown.height).toBeGreaterThan(300);
  });

  it('distinguishes an expired capture from an unknown one', async () => {
    const answer = vi.spyOn(window, 'fetch').mockResolvedValue(failure(404, 'CAPTURE_EXPIRED'));
    show();
    await expect.element(page.getByText('not found', { exact: true })).toBeVisible();
    await expect.element(page.getByRole('alert')).toHaveTextContent('This capture has expired');
    cleanup();
    answer.mockResolvedValue(failure(404));
    show();
    await expect.element(page.getByRole('alert').last()).toHaveTextContent('No capture has this address');
  });

  it('does not say that a capture is not found when the server fails', async () => {
    vi.spyOn(window, 'fetch').mockResolvedValue(failure(503));
    show();
    await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    expect(page.getByText('not found', { exact: true }).query()).toBeNull();
  });
});

import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Ad } from '~/api/queries/ads';
import { i18next, startTexts } from '~/i18n';
import { theme } from '~/ui/theme';
import '~/ui/styles.css';
import { AdPortal } from './AdPortal';

const RESULT = '0b7e4f9c-5f0e-4d1c-9d55-3f6a1f7c2a10';

const ad = (more: Partial<Ad> = {}): Ad => ({
  resultId: RESULT,
  pageKept: true,
  domain: 'shop.example',
  type: 'ads',
  engine: 'google',
  device: 'desktop',
  country: 'FR',
  language: 'fr',
  title: 'Red shoes',
  description: 'Delivered tomorrow',
  displayUrl: 'shop.example/red',
  targetUrl: 'https://shop.example/p/1',
  aclkUrls: ['https://clicks.example/aclk'],
  image: '',
  price: '',
  comparatorName: '',
  comparatorUrl: '',
  keywords: ['one', 'two', 'three', 'four', 'five', 'six'],
  views: 12,
  realPositionAvg: 1.25,
  advertisementFirstSeen: new Date(2026, 0, 5, 9, 5, 3).toISOString(),
  advertisementLastSeen: new Date(2026, 0, 6, 10, 0, 0).toISOString(),
  ...more,
});

const asked = vi.fn<(path: string) => Response>();
const closed = vi.fn();

const answers = (ads: Ad[]) =>
  asked.mockImplementation((path) =>
    path.startsWith('/api/advertisement/count')
      ? Response.json({ countAdvertisement: 60, countShopping: 3, exportCSV: '/api/advertisement/export?domain=x' })
      : Response.json(ads),
  );

function show() {
  render(
    <MantineProvider theme={theme}>
      <Notifications />
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        <button type="button">elsewhere</button>
        <Suspense>
          <AdPortal title="shop.example" search={[['domain', 'shop.example']]} onClose={closed} />
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>,
  );
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await i18next.loadNamespaces(['list', 'common', 'portal', 'market']);
});

beforeEach(() => {
  closed.mockReset();
  asked.mockReset();
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { pathname, search } = new URL((input as Request).url);
    return asked(pathname + search);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  cleanup();
});

describe('the ads of a row', () => {
  it('are asked for 50 at most, with their counts', async () => {
    answers([ad()]);
    show();
    await expect.element(page.getByText('60 ads')).toBeVisible();
    await expect.element(page.getByText('3 shopping ads')).toBeVisible();
    const paths = asked.mock.calls.map(([path]) => path).filter((path) => path.startsWith('/api/advertisement'));
    expect(paths.sort()).toEqual([
      '/api/advertisement/count?domain=shop.example',
      '/api/advertisement?domain=shop.example&limit=50',
    ]);
  });

  it('say where, when and how they were seen', async () => {
    answers([ad()]);
    show();
    const row = page.getByRole('row', { name: /Red shoes/ });
    await expect.element(row).toHaveTextContent('1.25');
    await expect.element(row).toHaveTextContent('5 Jan 2026, 9:05:03');
    await expect.element(row).toHaveTextContent('Google');
    await expect.element(row).toHaveTextContent('French');
    const target = page.getByRole('link', { name: 'Red shoes' });
    await expect.element(target).toHaveAttribute('href', 'https://shop.example/p/1');
    await expect.element(target).toHaveAttribute('rel', 'noopener noreferrer nofollow');
    await expect
      .element(page.getByRole('link', { name: 'See the capture' }))
      .toHaveAttribute('href', `/terms/capture/${RESULT}?domain=shop.example&adstype=ads`);
    expect(document.body.innerHTML).not.toContain('aclk');
  });

  it('show four words and the rest on demand', async () => {
    answers([ad()]);
    show();
    await expect.element(page.getByText('four', { exact: true })).toBeVisible();
    expect(page.getByText('five', { exact: true }).elements()).toEqual([]);
    await userEvent.click(page.getByRole('button', { name: '+2 more' }));
    await expect.element(page.getByText('six', { exact: true })).toBeVisible();
  });

  it('stand in two tables when there are shopping ads too', async () => {
    const shopping = ad({
      type: 'shopping',
      title: 'Blue shoes',
      price: '9,90 €',
      comparatorName: 'Comparia',
      positionAvg: 2,
    });
    answers([ad(), { ...shopping, realPositionAvg: undefined as never }]);
    show();
    await expect.element(page.getByRole('columnheader', { name: 'Shopping Advertisement' })).toBeVisible();
    const row = page.getByRole('row', { name: /Blue shoes/ });
    await expect.element(row).toHaveTextContent('9,90 €');
    await expect.element(row).toHaveTextContent('by Comparia');
    await expect.element(row).toHaveTextContent('2.00');
  });

  it('show the picture of a product as the captured page had it, and a sign where that page is gone', async () => {
    const image = 'https://pictures.example/shoe.webp';
    answers([ad({ type: 'shopping', title: 'Blue shoes', image }), ad({ title: 'Red shoes', image: '' })]);
    // The page is not kept, so its picture cannot load and is soon gone: its address is noted as it appears.
    const sources = new Set<string | null>();
    const observer = new MutationObserver(() => {
      for (const picture of document.querySelectorAll('img')) sources.add(picture.getAttribute('src'));
    });
    observer.observe(document.body, { childList: true, subtree: true });
    show();
    const link = page.getByRole('link', { name: 'Open the picture of the ad' });
    await expect.element(link).toHaveAttribute('href', image);
    await vi.waitFor(() => expect(link.element().querySelector('img')).toBeNull());
    observer.disconnect();
    expect(sources).toContain(`/api/capture-iframe/${RESULT}/product?image=${encodeURIComponent(image)}`);
    expect(link.element().querySelector('svg')).not.toBeNull();
  });

  it('copy the public address of their capture', async () => {
    answers([ad()]);
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    show();
    await userEvent.click(page.getByRole('button', { name: 'Copy url' }));
    const address = `${window.location.origin}/public-html-ad-content/${RESULT}?domain=shop.example&adstype=ads`;
    expect(write).toHaveBeenCalledWith(address);
    await expect.element(page.getByRole('tooltip', { name: 'Url copied!' })).toBeVisible();
    await expect.element(page.getByRole('tooltip', { name: 'Url copied!' })).not.toBeInTheDocument();
  });

  it('lead to no capture whose page was not kept, and say so', async () => {
    const image = 'https://pictures.example/shoe.webp';
    answers([ad({ title: 'Old shoes', pageKept: false, image }), ad({ title: 'New shoes' })]);
    show();
    const old = page.getByRole('row', { name: /Old shoes/ });
    await expect.element(old).toHaveTextContent('The page of this capture was not kept');
    expect(old.getByRole('link', { name: 'See the capture' }).query()).toBeNull();
    expect(old.getByRole('button', { name: 'Copy url' }).query()).toBeNull();
    expect(old.element().querySelector('img[src*="/product"]')).toBeNull();
    const present = page.getByRole('row', { name: /New shoes/ });
    await expect.element(present.getByRole('link', { name: 'See the capture' })).toBeVisible();
  });

  it('are shown by hour of the week, and those of one hour by a click', async () => {
    answers([ad()]);
    const plain = asked.getMockImplementation();
    const cell = { weekday: 1, hour: 9, views: 4, ads: 2, capturesWith: 3, captures: 8 };
    const silent = { weekday: 2, hour: 9, views: 0, ads: 0, capturesWith: 0, captures: 5 };
    asked.mockImplementation((path) =>
      path.startsWith('/api/advertisement/hours')
        ? Response.json({ data: [cell, silent] })
        : (plain?.(path) ?? new Response()),
    );
    show();
    await userEvent.click(page.getByText('Hours', { exact: true }));
    const monday = page.getByRole('button', { name: 'Monday, 9:00: 2 ads, seen in 3 of 8 captures' });
    await expect.element(monday).toHaveTextContent('8');
    await expect.element(page.getByRole('button', { name: /^Tuesday, 9:00: 0 ads/ })).toBeDisabled();
    await expect.element(page.getByTitle('Sunday, 23:00: no capture')).toBeInTheDocument();
    await userEvent.click(monday);
    await vi.waitFor(() => {
      const paths = asked.mock.calls.map(([path]) => decodeURIComponent(path));
      expect(paths).toContain('/api/advertisement?domain=shop.example&weekday=1&hour=9&timeZone=Europe/Paris&limit=50');
    });
    await userEvent.click(page.getByRole('button', { name: 'All hours' }));
    await expect.element(page.getByRole('button', { name: 'All hours' })).not.toBeInTheDocument();
  });

  it('are told to be none, too many or not to be had', async () => {
    answers([]);
    show();
    await expect.element(page.getByText('No advertisement')).toBeVisible();
    cleanup();
    asked.mockImplementation(() => Response.json({ error: { statusCode: 408 } }, { status: 408 }));
    show();
    await expect.element(page.getByText(/We found too many results/)).toBeVisible();
    cleanup();
    asked.mockImplementation(() => Response.json({ error: { statusCode: 500 } }, { status: 500 }));
    show();
    await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible();
  });

  it('close by the cross, by Escape and by a click anywhere else, and by no other', async () => {
    answers([ad()]);
    show();
    await userEvent.click(page.getByText('Delivered tomorrow'));
    expect(closed).not.toHaveBeenCalled();
    await userEvent.click(page.getByRole('button', { name: 'Close the ads' }));
    expect(closed).toHaveBeenCalledTimes(1);
    await userEvent.keyboard('{Escape}');
    expect(closed).toHaveBeenCalledTimes(2);
    await userEvent.click(page.getByRole('button', { name: 'elsewhere' }));
    expect(closed).toHaveBeenCalledTimes(3);
  });
});

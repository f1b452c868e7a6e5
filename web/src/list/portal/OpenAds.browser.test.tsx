import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { prepareTestList, show, withAds } from '~/testList';

prepareTestList();

describe('a list with ads under its rows', () => {
  const ads = (name: string) => page.getByRole('region', { name: `Ads of ${name}` });

  beforeEach(() => {
    vi.spyOn(window, 'fetch').mockImplementation(async (input) =>
      (input as Request).url.includes('/count')
        ? Response.json({ countAdvertisement: 0, countShopping: 0, exportCSV: '/api/advertisement/export' })
        : Response.json([]),
    );
  });
  afterEach(() => vi.restoreAllMocks());

  it('opens those of one row at a time, by its magnifier', async () => {
    show('/terms', withAds);
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of alpha' }));
    await expect.element(ads('alpha')).toBeVisible();
    await expect.element(page.getByText('No advertisement')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of beta' }));
    await expect.element(ads('beta')).toBeVisible();
    await expect.element(ads('alpha')).not.toBeInTheDocument();
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of beta' }));
    await expect.element(ads('beta')).not.toBeInTheDocument();
  });

  it('gives them their place under the row, and takes them away by a click beside them', async () => {
    show('/terms', withAds);
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of alpha' }));
    await expect.element(page.getByText('No advertisement')).toBeVisible();
    const edges = (name: string) =>
      page
        .getByRole('row', { name: new RegExp(`select.*${name}`) })
        .element()
        .getBoundingClientRect();
    await vi.waitFor(() => {
      const panel = ads('alpha').element().getBoundingClientRect();
      expect(panel.top).toBeGreaterThanOrEqual(edges('alpha').bottom);
      expect(panel.bottom).toBeLessThanOrEqual(edges('beta').top);
    });
    await userEvent.click(page.getByRole('heading', { level: 1 }));
    await expect.element(ads('alpha')).not.toBeInTheDocument();
  });

  it('is used by keys alone: arrows, Enter, Escape and the slash', async () => {
    show('/terms', withAds);
    await userEvent.click(page.getByRole('gridcell', { name: 'alpha', exact: true }));
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await expect.element(ads('beta')).toBeVisible();
    await expect.element(ads('beta')).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    await expect.element(ads('beta')).not.toBeInTheDocument();
    await expect.element(page.getByRole('gridcell', { name: 'beta', exact: true })).toHaveFocus();
    await userEvent.keyboard('/');
    await expect.element(page.getByRole('searchbox')).toHaveFocus();
    await userEvent.keyboard('a/b');
    await expect.element(page.getByRole('searchbox')).toHaveValue('a/b');
  });

  it('selects rows, never what stands under them', async () => {
    show('/terms', withAds);
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of alpha' }));
    await expect.element(ads('alpha')).toBeVisible();
    await userEvent.click(page.getByRole('columnheader').getByRole('checkbox'));
    await expect.element(page.getByText('2 rows selected')).toBeVisible();
  });

  it('closes them with another question', async () => {
    const { address } = show('/terms?order="none"', withAds);
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of alpha' }));
    await expect.element(ads('alpha')).toBeVisible();
    await userEvent.click(page.getByText('Name', { exact: true }).first());
    await vi.waitFor(() => expect(address()).toMatchObject({ order: 'name' }));
    await expect.element(ads('alpha')).not.toBeInTheDocument();
  });
});

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, onePage, prepareTestList, rowsOf, show, withAds } from '~/testList';

prepareTestList();

describe('a reader who scrolls', () => {
  const viewport = () => document.querySelector('.ag-grid-viewport') as HTMLElement;
  const bar = () => document.querySelector('.ag-body-vertical-scroll-viewport') as HTMLElement;
  const settled = () =>
    vi.waitFor(() => expect(document.querySelector('.ag-body-vertical-scroll.ag-scrollbar-scrolling')).toBeNull(), {
      timeout: 10_000,
    });

  beforeEach(async () => {
    answer.mockResolvedValue(onePage(rowsOf(...Array.from({ length: 200 }, (_, index) => `row${index}`))));
    show();
    await vi.waitFor(() => expect(viewport()?.scrollHeight).toBeGreaterThan(44 * 199), { timeout: 10_000 });
  });

  it('is not thrown back by what the scrollbar tells late', async () => {
    viewport().scrollTo({ top: 1_000 });
    await vi.waitFor(() => expect(bar().scrollTop).toBe(1_000), { timeout: 10_000 });
    await settled();
    viewport().scrollTo({ top: 2_000 });
    bar().dispatchEvent(new Event('scroll'));
    expect(viewport().scrollTop).toBe(2_000);
    await vi.waitFor(() => expect(bar().scrollTop).toBe(2_000), { timeout: 10_000 });
  });

  it('may do so by the scrollbar', async () => {
    await vi.waitFor(() => expect(bar().scrollHeight).toBeGreaterThan(44 * 199), { timeout: 10_000 });
    bar().dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    bar().scrollTo({ top: 500 });
    await vi.waitFor(() => expect(viewport().scrollTop).toBe(500), { timeout: 10_000 });
    window.dispatchEvent(new PointerEvent('pointerup'));
  });

  it('leaves nothing to be done when all stands still', async () => {
    viewport().scrollTo({ top: 1_000 });
    await vi.waitFor(() => expect(bar().scrollTop).toBe(1_000), { timeout: 10_000 });
    await settled();
    const timers = vi.spyOn(window, 'setTimeout');
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const asked = timers.mock.calls.length;
    timers.mockRestore();
    expect(asked).toBe(0);
  });
});

it('puts a column in another place by keys alone', async () => {
  show('/terms', { ...withAds });
  await userEvent.click(page.getByRole('button', { name: 'Columns' }));
  await userEvent.click(page.getByRole('button', { name: 'Move Name back' }));
  const headers = () =>
    page
      .getByRole('columnheader')
      .elements()
      .map((header) => header.textContent?.trim().split(' ')[0]);
  await vi.waitFor(() => expect(headers().filter(Boolean)).toEqual(['Ads', 'Name']));
});

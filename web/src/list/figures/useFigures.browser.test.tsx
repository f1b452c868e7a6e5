import { beforeEach, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answer, onePage, prepareTestList, rowsOf, show, testList } from '~/testList';

prepareTestList();

describe('a list with figures beside its rows', () => {
  const asked = vi.fn<(ids: readonly string[]) => void>();
  const withFigures: typeof testList = {
    ...testList,
    figures: {
      query: (_search, ids) => ({
        queryKey: ['figures', ids],
        queryFn: async () => {
          asked(ids);
          const row = (id: string) => ({ id, days: [], previousViews: 10, capturesWith: 3, captures: 12 });
          return { data: ids.map(row), meta: { previousTotalViews: 100 } };
        },
      }),
      views: () => 15,
      total: () => 100,
    },
  };

  beforeEach(() => void asked.mockReset());

  it('shows the change against the period before and the presence with its denominator', async () => {
    answer.mockResolvedValue(onePage(rowsOf('alpha')));
    show('/terms', withFigures);
    const row = page.getByRole('row', { name: /alpha/ });
    await expect.element(row).toHaveTextContent('+50.0%');
    await expect.element(row).toHaveTextContent('+5.00 pt visibility');
    await expect.element(row).toHaveTextContent('3 / 12');
    await expect.element(page.getByTitle('Seen in 3 of 12 valid captures')).toBeVisible();
  });

  it('shows them on cards too, and asks for those in sight alone', async () => {
    await page.viewport(390, 844);
    answer.mockResolvedValue(onePage(rowsOf(...Array.from({ length: 60 }, (_, index) => `row${index}`))));
    show('/terms', withFigures);
    const card = page.getByRole('listitem').filter({ hasText: /row0(?!\d)/ });
    await expect.element(card).toHaveTextContent('+50.0%');
    await expect.element(card).toHaveTextContent('3 / 12');
    expect(asked).toHaveBeenCalledTimes(1);
    page.getByText('row59').element().scrollIntoView();
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  });

  it('says that there is nothing to compare with, which is not the same as new', async () => {
    answer.mockResolvedValue(onePage(rowsOf('alpha')));
    const { figures } = withFigures;
    const query: NonNullable<typeof figures>['query'] = () => ({
      queryKey: ['figures', 'first'],
      queryFn: async () => ({
        data: [{ id: 'alpha', days: [], previousViews: null, capturesWith: 3, captures: 12 }],
        meta: { previousTotalViews: null },
      }),
    });
    show('/terms', { ...withFigures, ...(figures && { figures: { ...figures, query } }) });
    await expect.element(page.getByTitle(/^Nothing was seen in the period before/)).toHaveTextContent('–');
  });

  it('asks for the rows in sight alone, and for others when they come into sight', async () => {
    const times = (count: number) => vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(count), { timeout: 10_000 });
    answer.mockResolvedValue(onePage(rowsOf(...Array.from({ length: 200 }, (_, index) => `row${index}`))));
    show('/terms', withFigures);
    await times(1);
    expect(asked.mock.calls[0]?.[0]).toHaveLength(50);
    // The grid comes after the rows.
    const body = await vi.waitFor(
      () => {
        const found = document.querySelector('.ag-body-viewport, .ag-grid-viewport');
        expect(found?.scrollHeight).toBeGreaterThan(44 * 199);
        return found;
      },
      { timeout: 10_000 },
    );
    body?.scrollTo({ top: 44 * 60 });
    await times(2);
    expect(asked.mock.calls[1]?.[0][0]).toBe('row50');
    await expect
      .element(page.getByRole('row', { name: /row60(?!\d)/ }), { timeout: 10_000 })
      .toHaveTextContent('3 / 12');
    // Rows only scrolled past are not requested.
    body?.scrollTo({ top: 44 * 130 });
    body?.scrollTo({ top: 44 * 200 });
    await times(3);
    expect(asked.mock.calls[2]?.[0][0]).toBe('row150');
  });
});

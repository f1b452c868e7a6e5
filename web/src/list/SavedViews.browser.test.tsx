import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { prepareTestList, show } from '~/testList';

prepareTestList();

describe('saved views', () => {
  const stored = { id: 4, name: 'Ours', path: '/terms', columns: null, shared: true, own: false, owner: 'Ann' };
  const sent = vi.fn<(method: string, body: unknown) => void>();

  beforeEach(() => {
    sent.mockReset();
    vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
      const request = input as Request;
      if (request.method !== 'GET')
        sent(request.method, await request.json().catch(() => new URL(request.url).pathname));
      if (request.method === 'POST') return Response.json({ id: 5 });
      if (request.method === 'DELETE') return new Response(null, { status: 204 });
      const own = { ...stored, id: 5, name: 'Mine', own: true, shared: false };
      return Response.json({
        data: [
          { ...stored, search: { perPage: 100, order: 'name' } },
          { ...own, search: {} },
        ],
      });
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it('open with their filters, order and page size, and are told from those of colleagues', async () => {
    const { address } = show();
    await userEvent.click(page.getByRole('button', { name: 'Saved views' }));
    await expect.element(page.getByText('by Ann')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: /Ours/ }));
    await vi.waitFor(() => expect(address()).toMatchObject({ perPage: 100, order: 'name', direction: 'ASC' }));
  });

  it('keep the list as it is under a name, and go when their user removes them', async () => {
    show('/terms?perPage=100');
    await userEvent.click(page.getByRole('button', { name: 'Saved views' }));
    await userEvent.fill(page.getByRole('textbox', { name: 'Name of the view' }), 'Mine');
    await userEvent.click(page.getByRole('button', { name: 'Save this view' }));
    await vi.waitFor(() => expect(sent).toHaveBeenCalled());
    expect(sent.mock.calls[0]).toMatchObject([
      'POST',
      { name: 'Mine', path: '/terms', shared: false, search: { perPage: 100 }, columns: { hidden: [] } },
    ]);
    await userEvent.click(page.getByRole('button', { name: 'Remove the view Mine' }));
    await expect.element(page.getByText('“Mine” is removed for you.')).toBeVisible();
    expect(sent).toHaveBeenCalledTimes(1);
    await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'Remove the view Mine' }));
    await vi.waitFor(() => expect(sent).toHaveBeenCalledWith('DELETE', '/api/savedViews/5'));
    expect(page.getByRole('button', { name: 'Remove the view Ours' }).elements()).toEqual([]);
  });
});

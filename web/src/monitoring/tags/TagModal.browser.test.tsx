import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { advertisersKey } from '~/api/queries/advertisers';
import { UndoPlace } from '~/app/shell/UndoPlace';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { toast } from '~/ui/toast';
import { endOffer, undoOffer } from '~/ui/undo';
import { TagModal } from './TagModal';
import type { Taggable, TaggedRow } from './taggable';

const taggable: Taggable<TaggedRow> = {
  scope: 'tag',
  listKey: ['domains', 'list'],
  nameOf: () => 'a.example',
  entitiesOf: async () => new Map([['1', 11]]),
};

const stored = [
  { id: 1, name: 'official', label: 'Official', owner: { label: 'Brivault' } },
  { id: 2, name: 'official', label: 'Official', owner: { label: 'Kelmora' } },
  { id: 3, name: 'reseller', label: 'Reseller', owner: null },
];

const sent = vi.fn<(call: string) => void>();
let created: typeof stored = [];
let failure: number | undefined;
let operations: (string | null)[];

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['monitoring', 'list', 'common']);
});

beforeEach(() => {
  sent.mockReset();
  created = [];
  failure = undefined;
  operations = [];
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { method, url } = input as Request;
    const { pathname, searchParams } = new URL(url);
    if (pathname === '/api/brand') return Response.json({ data: [{ id: 5, label: 'Brivault' }] });
    if (pathname === '/api/Categories/count') return Response.json({ count: 62 });
    if (method === 'GET') {
      const pattern: string = JSON.parse(searchParams.get('filter') ?? '{}').where?.label?.regexp ?? '//';
      const text = pattern.slice(1, pattern.lastIndexOf('/')).toLowerCase();
      return Response.json([...stored, ...created].filter(({ label }) => label.toLowerCase().includes(text)));
    }
    sent(`${method} ${pathname}`);
    operations.push((input as Request).headers.get('X-Operation'));
    if (failure)
      return Response.json({ error: { statusCode: failure, message: 'Internal Server Error' } }, { status: failure });
    if (pathname === '/api/Categories') {
      created = [{ id: 9, name: 'fresh', label: 'Fresh', owner: { label: 'Brivault' } }];
      return Response.json({ id: 9, label: 'Fresh' });
    }
    return Response.json({});
  });
});

afterEach(() => {
  const offer = undoOffer.get();
  if (offer) endOffer(offer);
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

function show(list = taggable) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });
  // The list's other queries have no rows.
  queries.setQueryData(['domains', 'figures', 'x'], { total: 1 });
  queries.setQueryData(['domains', 'list', 'x'], { rows: [{ id: '1', categories: [] }] });
  renderWithProviders(
    <TagModal rows={[{ id: '1', categories: [] }]} taggable={list} onClose={() => undefined} />,
    queries,
  );
  return queries;
}

const search = () => page.getByRole('textbox', { name: 'Add a tag' });

it('confirms an added tag and shows it in the list', async () => {
  const queries = show();
  await userEvent.click(search());
  await userEvent.click(page.getByRole('option', { name: 'Reseller for all' }));
  await expect.element(page.getByText('tag added')).toBeVisible();
  expect(sent).toHaveBeenCalledWith('PUT /api/Dealers/11/categories/rel/3');
  expect(queries.getQueryData(['domains', 'list', 'x'])).toEqual({
    rows: [{ id: '1', categories: [{ id: 3, label: 'Reseller' }] }],
  });
});

const two: TaggedRow[] = ['1', '2'].map((id) => ({ id, categories: [] }));
const ofTwo = {
  ...taggable,
  entitiesOf: async () =>
    new Map([
      ['1', 11],
      ['2', 12],
    ]),
};

it.each([390, 1440])('undoes a tag that several rows got, in the modal too, at %i px', async (width) => {
  await page.viewport(width, 900);
  const queries = new QueryClient();
  const reloaded = vi.spyOn(queries, 'invalidateQueries');
  renderWithProviders(
    <>
      <TagModal rows={two} taggable={ofTwo} onClose={() => undefined} />
      <UndoPlace />
    </>,
    queries,
  );
  await userEvent.click(search());
  await userEvent.click(page.getByRole('option', { name: 'Reseller for all' }));
  const bar = page.getByRole('region', { name: 'Undo' });
  await expect.element(bar).toHaveTextContent('Tag “Reseller” added to 2 rows');
  await expect.element(page.getByText('2/2')).toBeVisible();
  const [operation] = operations;
  expect(operations).toEqual([operation, operation]);
  // A real click: the backdrop of the modal does not cover it.
  await userEvent.click(bar.getByRole('button', { name: 'Undo' }));
  await vi.waitFor(() => expect(sent).toHaveBeenLastCalledWith(`POST /api/Undo/${operation}`));
  await expect.element(page.getByText('2/2')).not.toBeInTheDocument();
  expect(reloaded).toHaveBeenCalledWith({ queryKey: ['domains', 'list'] });
});

it('offers to undo an official tag with what it did to cases, and nothing of what failed', async () => {
  show();
  await userEvent.click(search());
  await userEvent.click(page.getByRole('option', { name: 'Official of Kelmora' }));
  await userEvent.click(page.getByRole('button', { name: 'Add the tag' }));
  await expect.element(page.getByText('tag added')).toBeVisible();
  const offer = undoOffer.get();
  expect(offer?.changes).toContainEqual(advertisersKey);
  failure = 500;
  await userEvent.click(search());
  await userEvent.click(page.getByRole('option', { name: 'Reseller for all' }));
  await expect.element(page.getByText('an error occurred').first()).toBeVisible();
  expect(undoOffer.get()).toBe(offer);
});

it('explains why a tag was not added', async () => {
  failure = 500;
  show();
  await userEvent.click(search());
  await userEvent.click(page.getByRole('option', { name: 'Reseller for all' }));
  await expect.element(page.getByText('an error occurred')).toBeVisible();
});

it('distinguishes tags of the same name, and asks before an official tag sets open cases to ignored', async () => {
  show();
  await userEvent.click(search());
  await expect.element(page.getByRole('option', { name: 'Official of Brivault' })).toBeVisible();
  await userEvent.click(page.getByRole('option', { name: 'Official of Kelmora' }));
  await expect
    .element(page.getByText(/a site of Kelmora\. Its open cases against this brand become ignored/))
    .toBeVisible();
  expect(sent).not.toHaveBeenCalled();
  await userEvent.click(page.getByRole('button', { name: 'Add the tag' }));
  await vi.waitFor(() => expect(sent).toHaveBeenCalledWith('PUT /api/Dealers/11/categories/rel/2'));
});

it('says how many more tags there are than it offers', async () => {
  created = Array.from({ length: 47 }, (_, index) => ({
    id: 100 + index,
    name: `t${index}`,
    label: `T ${index}`,
    owner: null,
  }));
  show();
  await userEvent.click(search());
  await expect.element(page.getByText('12 more: type to find them')).toBeVisible();
});

it('offers, and creates, tags of the rows’ own brand beside shared ones', async () => {
  const asked: string[] = [];
  const found = vi.mocked(window.fetch).getMockImplementation();
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    asked.push(decodeURIComponent((input as Request).url));
    return found?.(input) ?? Response.json([]);
  });
  show({ ...taggable, brandOf: () => ({ value: 6, label: 'Kelmora' }) });
  await userEvent.click(search());
  await expect.element(page.getByRole('option', { name: 'Reseller for all' })).toBeVisible();
  expect(asked.at(-1)).toContain('"or":[{"brandOwnerId":{"inq":[6]}},{"visibility":"all"}]');
  await userEvent.fill(search(), 'Fresh');
  await userEvent.click(page.getByRole('option', { name: 'Create “Fresh”' }));
  await expect.element(page.getByRole('combobox', { name: 'Brand' })).toHaveValue('Kelmora');
});

it('offers a new tag at once', async () => {
  show();
  await userEvent.fill(search(), 'Fresh');
  await userEvent.click(page.getByRole('option', { name: 'Create “Fresh”' }));
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toHaveFocus();
  await userEvent.click(page.getByRole('button', { name: 'Create and add' }));
  await expect.element(page.getByText('tag added')).toBeVisible();
  expect(page.getByText('an error occurred').query()).toBeNull();
  await userEvent.click(page.getByRole('button', { name: 'Remove the tag Fresh' }));
  await userEvent.click(page.getByRole('button', { name: 'Remove the tag', exact: true }));
  await expect.element(page.getByText('tag deleted')).toBeVisible();
  await userEvent.fill(search(), 'fresh');
  await expect.element(page.getByRole('option', { name: 'Fresh of Brivault' })).toBeVisible();
  expect(page.getByRole('option', { name: 'Create “fresh”' }).query()).toBeNull();
});

it('offers no tag to be removed that others put on, and removes it from no row where they did', async () => {
  const shared = { id: 3, label: 'Reseller' };
  const theirs = { id: 4, label: 'Watched', ofOthers: true };
  const rows: TaggedRow[] = [
    { id: '1', categories: [shared, theirs] },
    { id: '2', categories: [{ ...shared, ofOthers: true }] },
  ];
  renderWithProviders(<TagModal rows={rows} taggable={ofTwo} onClose={() => undefined} />, new QueryClient());
  await expect.element(page.getByRole('listitem').filter({ hasText: 'Watched' })).toHaveTextContent('put on by others');
  expect(page.getByRole('button', { name: 'Remove the tag Watched' }).query()).toBeNull();
  await userEvent.click(page.getByRole('button', { name: 'Remove the tag Reseller' }));
  await userEvent.click(page.getByRole('button', { name: 'Remove the tag', exact: true }));
  await expect.element(page.getByText('1 tag(s) removed')).toBeVisible();
  expect(sent.mock.calls).toEqual([['DELETE /api/Dealers/11/categories/rel/3']]);
  await expect
    .element(page.getByRole('listitem').filter({ hasText: 'Reseller' }))
    .toHaveTextContent('put on by others');
});

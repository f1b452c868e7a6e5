import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import type { ListSearch } from '~/lib/listSearch';
import { advertisersQuery, followAdvertiserLink } from './advertisers';

const search: ListSearch = { page: 1, perPage: 30, order: 'lastView', direction: 'DESC', filters: {} };
const row = { id: 7, ID: 7, status: 'new', domain: 'a.example', links: {} };

afterEach(() => vi.restoreAllMocks());

it('counts the statuses anew after one row has changed, and leaves the rows where they are', async () => {
  let subTotal = { new: 2, ignored: 0 };
  vi.spyOn(window, 'fetch').mockImplementation(async (input) =>
    (input as Request).method === 'GET'
      ? Response.json({ data: [row, { ...row, id: 8 }], meta: { page: { total: 2 }, subTotal }, links: {} })
      : Response.json({ data: { ...row, status: 'ignored' } }),
  );
  const queries = new QueryClient();
  const list = new QueryObserver(queries, advertisersQuery(search));
  const leave = list.subscribe(() => undefined);
  await vi.waitFor(() => expect(list.getCurrentResult().data?.meta.subTotal).toEqual({ new: 2, ignored: 0 }));

  subTotal = { new: 1, ignored: 1 };
  await followAdvertiserLink(queries, { method: 'POST', href: '/api/actions/7/markAsIgnored' });
  const { data } = list.getCurrentResult();
  expect(data?.meta.subTotal).toEqual({ new: 1, ignored: 1 });
  expect(data?.rows.map(({ id, status }) => [id, status])).toEqual([
    ['7', 'ignored'],
    ['8', 'new'],
  ]);
  leave();
});

import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';
import type { paths } from '../schema';

export type SavedView =
  paths['/api/savedViews']['get']['responses'][200]['content']['application/json']['data'][number];

/** The saved views of a list that this user sees. */
export const savedViewsQuery = (path: string) =>
  queryOptions({
    queryKey: ['savedViews', path],
    queryFn: async ({ signal }) => {
      const { data } = await answer(client.GET('/api/savedViews', { params: { query: { path } }, signal }));
      return data;
    },
  });

/** Saves a view; overwrites an own one of the same name. Invalidate `savedViewsQuery` afterwards. */
export const saveView = (view: {
  name: string;
  path: string;
  search: Record<string, unknown>;
  columns: Record<string, unknown>;
  shared: boolean;
}) => answer(client.POST('/api/savedViews', { body: view }));

/** Removes an own view. Invalidate `savedViewsQuery` afterwards. */
export const removeView = (id: number) => done(client.DELETE('/api/savedViews/{id}', { params: { path: { id } } }));

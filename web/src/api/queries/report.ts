import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { components } from '../schema';
import { timeZone } from './ads';

/** How often it is asked whether a report is ready. */
const LOOKS_MS = 1_000;

export type ReportFile = components['schemas']['ReportView'];

/** The name of a brand that a report is about. */
export const reportBrandQuery = (id: number) =>
  queryOptions({
    queryKey: ['report', 'brand', id],
    queryFn: async ({ signal }) => {
      const { label, name } = await answer(client.GET('/api/Brands/{id}', { params: { path: { id } }, signal }));
      return label || name || `#${id}`;
    },
  });

/** Has the report of a month, `YYYY-MM`, printed as the reader sees it, about a brand or all of them. */
export const requestReport = (month: string, brand: number | undefined): Promise<ReportFile> =>
  answer(
    client.POST('/api/reports', {
      body: { month, timeZone: timeZone(), ...(brand !== undefined && { brandId: brand }) },
    }),
  );

/** How far a report is; asked again until it is ready or has failed. */
export const reportFileQuery = (id: number) =>
  queryOptions({
    queryKey: ['report', 'file', id],
    queryFn: ({ signal }) => answer(client.GET('/api/reports/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.state === 'waiting' ? LOOKS_MS : false),
    staleTime: 0,
  });

/** Where the PDF of a report is. */
export const reportFileAddress = (id: number): string => `/api/reports/${id}/file`;

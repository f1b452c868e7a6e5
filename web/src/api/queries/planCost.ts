import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { components } from '../schema';
import type { TermTarget } from './settingTerms';

export type PlanChange = components['schemas']['PlanChange'];
/** What a change adds or saves: captures a day, what each engine is then asked, and what company accounts with a quota then plan. */
export type PlanCost = components['schemas']['PlanCostView'];
/** New terms that differ in their words alone. */
export type NewTermsToPlan = components['schemas']['NewTerms'];
/** What becomes of new terms: which are there already, and which brands the others join. */
export type NewTermsPlan = components['schemas']['NewTermsView'];

const costsKey = ['planCosts'] as const;

const preview = (body: components['schemas']['PlanPreviewRequest'], signal: AbortSignal) =>
  answer(client.POST('/api/Terms/planPreview', { body, signal }));

/** What a change of interval, share or state of terms adds to captures a day, the load of engines and quotas, as the server plans it; changes nothing. */
export function planCostQuery({ rows, whole }: TermTarget, change: PlanChange) {
  const terms = whole ? { where: JSON.parse(whole.where) } : { ids: rows.map(({ termId }) => termId) };
  return queryOptions({
    queryKey: [...costsKey, terms, change],
    queryFn: async ({ signal }): Promise<PlanCost> => (await preview({ ...terms, change }, signal)).data,
    staleTime: 0,
  });
}

/** What new terms would cost, planned by the server, and what becomes of each. */
export const newTermsCostQuery = (newTerms: NewTermsToPlan) =>
  queryOptions({
    queryKey: [...costsKey, 'new', newTerms],
    queryFn: async ({ signal }): Promise<{ cost: PlanCost; plan: NewTermsPlan | null | undefined }> => {
      const { data: cost, newTerms: plan } = await preview({ newTerms }, signal);
      return { cost, plan };
    },
    staleTime: 0,
  });

import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { components } from '../schema';
import type { TermTarget } from './settingTerms';

export type PlanChange = Pick<components['schemas']['PlanChange'], 'every' | 'state'>;
type Planned = components['schemas']['PlanCostView'];
export type EngineLoad = Planned['engines'][number];
/** What a change adds or saves: captures a day, and what each engine is then asked. */
export type PlanCost = Pick<Planned, 'perDay' | 'engines'>;

const costsKey = ['planCosts'] as const;

/** How long the load of an engine may be shown; terms change all the time. */
const LOAD_STALE_MS = 60_000;

const preview = async (body: components['schemas']['PlanPreviewRequest'], signal: AbortSignal): Promise<Planned> =>
  (await answer(client.POST('/api/Terms/planPreview', { body, signal }))).data;

/** What a change of terms would cost, planned by the server. */
export function planCostQuery({ rows, whole }: TermTarget, change: PlanChange) {
  const terms = whole ? { where: JSON.parse(whole.where) } : { ids: rows.map(({ termId }) => termId) };
  return queryOptions({
    queryKey: [...costsKey, terms, change],
    queryFn: ({ signal }): Promise<PlanCost> => preview({ ...terms, change }, signal),
    staleTime: 0,
  });
}

/** What all present terms ask of an engine, by route. */
export const engineLoadsQuery = (engine: string) =>
  queryOptions({
    queryKey: [...costsKey, 'loads', engine],
    queryFn: async ({ signal }): Promise<EngineLoad[]> =>
      (await preview({ where: { engine: engine.toUpperCase() }, change: {} }, signal)).engines,
    staleTime: LOAD_STALE_MS,
  });

const HOURS_A_DAY = 24;

/** What new captures cost, on the route that searches of their country take; without a known route, their number alone. */
export function costOfNew(perDay: number, country: string, loads: readonly EngineLoad[]): PlanCost {
  const route = loads.find((load) => load.country === country) ?? loads.find((load) => !load.country);
  const added = { before: 0, after: perDay };
  if (!route) return { perDay: added, engines: [] };
  const before = route.perHour.before;
  const perHour = { before, after: before + perDay / HOURS_A_DAY };
  const share = { before: before / route.limitPerHour, after: perHour.after / route.limitPerHour };
  return { perDay: added, engines: [{ ...route, perHour, share }] };
}

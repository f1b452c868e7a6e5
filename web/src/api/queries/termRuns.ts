import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { paths } from '../schema';
import { conditionsOf, type SettingTermRow } from './settingTerms';

/** When a term runs next on a device, and how its last run ended. */
export type TermRuns = paths['/api/termRuns']['get']['responses'][200]['content']['application/json']['data'][number];

/** Terms per question, the server's limit. */
const TERMS_AT_ONCE = 100;
/** How long terms are gathered into one question. */
const GATHER_MS = 20;
/** How often the runs of a term are asked for while one is under way. */
const REFRESH_MS = 5_000;

export const termRunsKey = ['termRuns'] as const;

interface Waiting {
  term: number;
  resolve(runs: TermRuns[]): void;
  reject(error: unknown): void;
}

let waiting: Waiting[] = [];

/** Answers all that wait, by one question for every 100 terms. */
async function askForAll(): Promise<void> {
  const asked = waiting;
  waiting = [];
  for (let from = 0; from < asked.length; from += TERMS_AT_ONCE) {
    const some = asked.slice(from, from + TERMS_AT_ONCE);
    const rows = some.map(({ term }) => term);
    try {
      const { data } = await answer(client.GET('/api/termRuns', { params: { query: { 'rows[]': rows } } }));
      for (const { term, resolve } of some) resolve(data.filter(({ termID }) => termID === term));
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}

/** The runs of a term on each device. Terms that are asked for at the same time, as by the rows of a list, share one question. */
export const termRunsQuery = (term: number) =>
  queryOptions({
    queryKey: [...termRunsKey, term],
    queryFn: () =>
      new Promise<TermRuns[]>((resolve, reject) => {
        if (waiting.length === 0) setTimeout(() => void askForAll(), GATHER_MS);
        waiting.push({ term, resolve, reject });
      }),
    refetchInterval: ({ state: { data } }) => data?.some(({ isUnderWay }) => isUnderWay) === true && REFRESH_MS,
  });

/** What a request to run terms started. */
export type StartedRuns = paths['/api/Terms/runNow']['post']['responses'][200]['content']['application/json']['data'];

/** Captures terms now, in addition to their schedule. */
export async function runNow(rows: readonly SettingTermRow[]): Promise<StartedRuns> {
  const { data } = await answer(client.POST('/api/Terms/runNow', { body: { ids: rows.map(({ termId }) => termId) } }));
  return data;
}

/** How far a synchronization is. */
export type Synchronization =
  paths['/api/Terms/fetchSearchStats']['post']['responses'][200]['content']['application/json']['data'];

/** Has the monthly searches of terms read; with a `rate`, from 0 to 1, also stores it as their share of searches that convert. */
export async function synchronize(terms: readonly number[], rate?: number): Promise<Synchronization> {
  const whole: Synchronization = { isConnected: true, terms: 0, fetched: 0, waiting: 0, failed: 0 };
  for (const where of conditionsOf(terms)) {
    const { data } = await answer(
      client.POST('/api/Terms/fetchSearchStats', {
        body: { where: JSON.parse(where), ...(rate !== undefined && { searchConvertRate: rate }) },
      }),
    );
    whole.isConnected &&= data.isConnected;
    for (const part of ['terms', 'fetched', 'waiting', 'failed'] as const) whole[part] += data[part];
  }
  return whole;
}

import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { components } from '../schema';

type Schemas = components['schemas'];
export type StopGoBrand = Schemas['StopGoBrandView'];
export type StopGoKeyword = Schemas['StopGoKeywordView'];
export type Lane = Schemas['LaneView'];
export type LaneDecision = Schemas['LaneDecisionView'];
export type DryRun = Schemas['DryRunView'];
export type Saving = Schemas['SavingView'];

/** All that Stop and Go shows begins with this key. */
export const STOP_GO = ['stopGo'] as const;

/** How often a lane is asked for again, in milliseconds. */
const LANE_MS = 15_000;

/** The brands with Stop and Go, by label. */
export const stopGoBrandsQuery = queryOptions({
  queryKey: [...STOP_GO, 'brands'],
  queryFn: async ({ signal }) => (await answer(client.GET('/api/stop-go/brand', { signal }))).data,
});

/** One brand with Stop and Go, by the id of its row. */
export const stopGoBrandQuery = (id: number) =>
  queryOptions({
    queryKey: [...STOP_GO, 'brand', id],
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/stop-go/brand/', { params: { query: { ID: id } }, signal }))).data,
  });

/** The keywords with Stop and Go, of one brand or of the brands of a company account if one is given. */
export const stopGoKeywordsQuery = (of: { brandID?: number; companyAccountID?: number }) =>
  queryOptions({
    queryKey: [...STOP_GO, 'keywords', of],
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/stop-go/keyword', { params: { query: of }, signal }))).data,
    refetchInterval: LANE_MS,
  });

/** One keyword with Stop and Go. */
export const stopGoKeywordQuery = (id: number) =>
  queryOptions({
    queryKey: [...STOP_GO, 'keyword', id],
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/stop-go/keyword/', { params: { query: { ID: id } }, signal }))).data,
    refetchInterval: LANE_MS,
  });

/** The Google terms of a brand that can be linked. */
export const linkableKeywordsQuery = (brandID: number) =>
  queryOptions({
    queryKey: [...STOP_GO, 'linkable', brandID],
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/stop-go/keyword/linkable', { params: { query: { brandID } }, signal }))).data,
  });

/** A lane with its guards, last captures and seven days. */
export const laneQuery = (id: number) =>
  queryOptions({
    queryKey: [...STOP_GO, 'lane', id],
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/stop-go/lane', { params: { query: { ID: id } }, signal }))).data,
    refetchInterval: LANE_MS,
  });

/** Why a lane is as it is, last first. */
export const laneDecisionsQuery = (id: number) =>
  queryOptions({
    queryKey: [...STOP_GO, 'decisions', id],
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/stop-go/lane/decisions', { params: { query: { ID: id } }, signal }))).data,
    refetchInterval: LANE_MS,
  });

/** What would have happened to a lane in a period, for every position of the slider. */
export const dryRunQuery = (id: number, from: string, until: string) =>
  queryOptions({
    queryKey: [...STOP_GO, 'dryRun', id, from, until],
    queryFn: ({ signal }) => answer(client.POST('/api/stop-go/lane/dryRun', { body: { ID: id, from, until }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What brands saved in the last days that are known. */
export const savingsQuery = queryOptions({
  queryKey: [...STOP_GO, 'savings'],
  queryFn: ({ signal }) => answer(client.GET('/api/stop-go/savings', { params: { query: {} }, signal })),
});

/** What people have to remove in Google by hand, because access to its accounts is lost. */
export const strandedQuery = queryOptions({
  queryKey: [...STOP_GO, 'stranded'],
  queryFn: async ({ signal }) => (await answer(client.GET('/api/stop-go/stranded', { signal }))).data,
  refetchInterval: LANE_MS,
});

/** The address of one of the reader's dashboards in a frame; null without one. Asked for each time, because it is good for minutes. */
export const frameQuery = (entry: string) =>
  queryOptions({
    queryKey: ['frame', entry],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/dashboards/{entry}/frame', { params: { path: { entry } }, signal }))).data.url ??
      null,
  });

export const linkBrand = (body: Schemas['LinkBrandBody']) => answer(client.POST('/api/stop-go/brand', { body }));

export const changeBrand = (body: Schemas['ChangeBrandBody']) => answer(client.PUT('/api/stop-go/brand', { body }));

export const removeBrand = (id: number) =>
  answer(client.DELETE('/api/stop-go/brand', { params: { query: { ID: id } } }));

export const setOptions = (body: Schemas['StopGoOptionsBody']) =>
  answer(client.PUT('/api/stop-go/brand/options', { body }));

export const linkKeyword = (body: Schemas['LinkKeywordBody']) => answer(client.POST('/api/stop-go/keyword', { body }));

export const changeKeyword = (body: Schemas['ChangeKeywordBody']) =>
  answer(client.PUT('/api/stop-go/keyword', { body }));

export const removeKeyword = (id: number) =>
  answer(client.DELETE('/api/stop-go/keyword', { params: { query: { ID: id } } }));

/** Puts the text of a keyword into the negative list, or takes it out; resolves with the keyword as it is then. */
export const excludeKeyword = async (ID: number, exclude: boolean): Promise<StopGoKeyword> =>
  (await answer(client.POST('/api/stop-go/keyword/exclude', { body: { ID, exclude } }))).data;

/** Switches a keyword on or off; resolves with the keyword as it is then. */
export const enableKeyword = async (ID: number, enable: boolean): Promise<StopGoKeyword> =>
  (await answer(client.POST('/api/stop-go/keyword/enable', { body: { ID, enable } }))).data;

/** Lets the rule decide again, or approves the stop that waits. */
export const actOnLane = (ID: number, act: 'resume' | 'approve') =>
  answer(client.POST('/api/stop-go/lane/act', { body: { ID, act } }));

/** Detaches the lists of a brand's accounts; `confirmation` is the name of the brand. Resolves with what was let go. */
export const letEverythingGo = async (ID: number, confirmation: string) =>
  (await answer(client.POST('/api/stop-go/emergency', { body: { ID, confirmation } }))).data;

/** Ends the emergency of a brand's accounts. */
export const endEmergency = async (ID: number, confirmation: string) =>
  (await answer(client.DELETE('/api/stop-go/emergency', { body: { ID, confirmation } }))).data;

import type { AdvertiserRow, GroupAct } from '~/api/queries/advertisers';

/** What can be done with a group: the statuses it must be in, as a whole. */
export const GROUP_RULES: Readonly<Record<GroupAct, (status: string) => boolean>> = {
  ignore: (status) => status !== 'requested' && status !== 'ignored',
  unignore: (status) => status === 'ignored',
  request: (status) => status === 'new',
  cancelRequest: (status) => status === 'requested',
};

/** Whether every advertiser of a group fits an act. */
export const fits = (act: GroupAct, rows: readonly AdvertiserRow[]): boolean =>
  rows.length > 0 && rows.every(({ status }) => GROUP_RULES[act](status));

/** The links of a row that its menu shows, in order, with the words for them. */
export const ROW_LINKS = [
  ['markAsRequested', 'request'],
  ['cancelRequested', 'cancelRequest'],
  ['markAsIgnored', 'ignore'],
  ['cancelIgnore', 'unignore'],
] as const;

const WITH_MENU = ['ignored', 'new', 'requested'];

/** What a row's menu offers; only some statuses have one. */
export const rowLinks = (row: AdvertiserRow) =>
  WITH_MENU.includes(row.status)
    ? ROW_LINKS.flatMap(([name, word]) => {
        const link = row.links[name];
        return link ? [{ word, link }] : [];
      })
    : [];

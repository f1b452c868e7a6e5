import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type AdvertiserRow, advertisersKey, changeGroup, type GroupAct } from '~/api/queries/advertisers';
import { BulkTags } from '~/monitoring/tags/Tags';
import type { Taggable } from '~/monitoring/tags/taggable';
import { toast } from '~/ui/toast';

/** The tags of an advertiser are linked to its dealer, which several rows can share. */
export const taggableAdvertisers: Taggable<AdvertiserRow> = {
  scope: 'tag',
  listKey: advertisersKey,
  nameOf: ({ domain }) => domain,
  brandOf: ({ brandId, brand }) => (brandId && brand ? { value: brandId, label: brand } : null),
  entitiesOf: async (rows) => new Map(rows.flatMap(({ id, dealer }) => (dealer ? [[id, dealer.id] as const] : []))),
};

/** The statuses in which an advertiser allows each change. */
const ALLOWED: Readonly<Record<GroupAct, (status: string) => boolean>> = {
  ignore: (status) => status !== 'requested' && status !== 'ignored',
  unignore: (status) => status === 'ignored',
  request: (status) => status === 'new',
  cancelRequest: (status) => status === 'requested',
};
const CHANGES = Object.keys(ALLOWED) as GroupAct[];

/** Whether every selected advertiser allows a change. */
export const allowedForAll = (change: GroupAct, rows: readonly AdvertiserRow[]): boolean =>
  rows.length > 0 && rows.every(({ status }) => ALLOWED[change](status));

interface Props {
  rows: readonly AdvertiserRow[];
  onDone(): void;
}

/** Buttons that change all selected advertisers or their tags; a change that one of them does not allow is disabled. Success calls `onDone`. */
export function BulkActions({ rows, onDone }: Props) {
  const { t } = useTranslation('advertisers');
  const queries = useQueryClient();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (change: GroupAct) => changeGroup(queries, change, rows),
    onSuccess: () => {
      toast.success(t('changed'));
      onDone();
    },
    onError: () => toast.error(t('changeFailed')),
  });
  return (
    <>
      {CHANGES.map((change) => (
        <Button
          key={change}
          size="compact-sm"
          variant="default"
          disabled={!allowedForAll(change, rows) || isPending}
          loading={isPending && variables === change}
          onClick={() => mutate(change)}
        >
          <span className="sentence">{t(`act.${change}`)}</span>
        </Button>
      ))}
      <BulkTags rows={rows} taggable={taggableAdvertisers} onDone={onDone} />
    </>
  );
}

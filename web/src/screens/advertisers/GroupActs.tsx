import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type AdvertiserRow, changeGroup, type GroupAct } from '~/api/queries/advertisers';
import { toast } from '~/ui/toast';
import { fits, GROUP_RULES } from './acts';

const ACTS = Object.keys(GROUP_RULES) as GroupAct[];

interface Props {
  rows: readonly AdvertiserRow[];
  onDone(): void;
}

/** What can be done with all selected advertisers at once; what does not fit all of them is not offered. */
export function GroupActs({ rows, onDone }: Props) {
  const { t } = useTranslation('advertisers');
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (act: GroupAct) => changeGroup(queries, act, rows),
    onSuccess: () => {
      toast.success(t('changed'));
      onDone();
    },
    onError: () => toast.error(t('changeFailed')),
  });
  return ACTS.map((act) => (
    <Button
      key={act}
      size="compact-sm"
      variant="default"
      disabled={!fits(act, rows) || change.isPending}
      loading={change.isPending && change.variables === act}
      onClick={() => change.mutate(act)}
    >
      <span className="sentence">{t(`act.${act}`)}</span>
    </Button>
  ));
}

import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type HistoryModel, trailQuery } from '~/api/queries/history';
import { EmptyState } from '~/ui/feedback';
import { HistoryDrawer, More } from './HistoryDrawer';
import { TrailEntries } from './TrailEntries';

interface Props {
  model: HistoryModel;
  id: number;
  /** What the row is called. */
  name: string;
  onClose(): void;
}

/** What was done to a row: who, when, and what it was before and is now, newest first. */
export function TrailDrawer({ model, id, name, onClose }: Props) {
  const { t } = useTranslation('history');
  const found = useInfiniteQuery(trailQuery(model, id));
  const pages = found.data?.pages ?? [];
  return (
    <HistoryDrawer title={t('trail.title', { name })} found={found} failed={t('trail.failed')} onClose={onClose}>
      {pages.every(({ data }) => data.length === 0) ? (
        <EmptyState icon={<IconHistory size={26} />} title={t('trail.none')} />
      ) : (
        <>
          <TrailEntries pages={pages} />
          <More found={found} />
        </>
      )}
    </HistoryDrawer>
  );
}

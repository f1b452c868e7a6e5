import { Button, Checkbox } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type QueryKey, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { bringBack, type DeletedRow, deletedKey, deletedQuery, type HistoryModel } from '~/api/queries/history';
import { errorText } from '~/ui/errorText';
import { EmptyState } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { HistoryDrawer, More } from './HistoryDrawer';
import styles from './history.module.css';
import { useWho } from './who';

const DAY_MS = 86_400_000;

interface Props {
  model: HistoryModel;
  /** Keys of the queries that show rows of the model. */
  changes: readonly QueryKey[];
  onClose(): void;
}

/** What was deleted of a model in the last 30 days, with boxes to choose what comes back: all that is chosen, or none. */
export function DeletedDrawer({ model, changes, onClose }: Props) {
  const { t } = useTranslation('history');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const found = useInfiniteQuery(deletedQuery(model));
  const rows = found.data?.pages.flatMap((page) => page.rows) ?? [];
  const [marked, setMarked] = useState<ReadonlySet<number>>(new Set());
  const chosen = rows.filter(({ id }) => marked.has(id));
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      bringBack(
        model,
        chosen.map(({ id }) => id),
      ),
    onSuccess: () => {
      toast.success(t('deleted.done', { count: chosen.length }));
      setMarked(new Set());
    },
    onError: (error) => toast.error(t('deleted.notDone'), errorText(error, common)),
    onSettled: () => Promise.all([deletedKey, ...changes].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  const mark = (ids: readonly number[], on: boolean) =>
    setMarked((before) => new Set(on ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))));
  return (
    <HistoryDrawer
      title={t(`deleted.title.${model}`)}
      found={found}
      failed={t('deleted.failed')}
      onClose={onClose}
      footer={
        <Button disabled={chosen.length === 0} loading={isPending} onClick={() => mutate()}>
          {chosen.length === 0 ? t('deleted.bringBack') : t('deleted.bringBackCount', { count: chosen.length })}
        </Button>
      }
    >
      {rows.length === 0 ? (
        <EmptyState icon={<IconTrash size={26} />} title={t('deleted.none')} />
      ) : (
        <>
          <p className={styles.how}>{t('deleted.how')}</p>
          <Checkbox
            label={t('deleted.all')}
            checked={chosen.length === rows.length}
            indeterminate={chosen.length > 0 && chosen.length < rows.length}
            onChange={(event) =>
              mark(
                rows.map(({ id }) => id),
                event.currentTarget.checked,
              )
            }
          />
          <ul className={styles.rows}>
            {rows.map((row) => (
              <li key={row.id}>
                <Deleted row={row} marked={marked.has(row.id)} onMark={(on) => mark([row.id], on)} />
              </li>
            ))}
          </ul>
          <More found={found} />
        </>
      )}
    </HistoryDrawer>
  );
}

/** A deleted row with its box; says when and by whom it was deleted, and how many days are left. */
function Deleted({ row, marked, onMark }: { row: DeletedRow; marked: boolean; onMark(on: boolean): void }) {
  const { t } = useTranslation(['history', 'market']);
  const fmt = useFormats();
  const who = useWho();
  const when = fmt.dateTime(row.at);
  const left = Math.max(0, Math.ceil((Date.parse(row.until) - Date.now()) / DAY_MS));
  return (
    <Checkbox
      checked={marked}
      onChange={(event) => onMark(event.currentTarget.checked)}
      label={
        <span className={styles.name}>
          {row.name}
          {row.engine && (
            <span className={styles.dim}> · {t(`market:engine.${row.engine}`, { defaultValue: row.engine })}</span>
          )}
        </span>
      }
      description={[
        row.by ? t('deleted.by', { when, who: who(row.by) }) : t('deleted.when', { when }),
        t('deleted.left', { count: left }),
      ].join(' · ')}
    />
  );
}

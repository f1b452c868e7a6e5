import { Button, Checkbox, SegmentedControl } from '@mantine/core';
import { IconMoodCheck, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { overviewQuery, type ReviewAct, type ReviewKind, reviewsQuery } from '~/api/queries/operations';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import { ReviewDetail } from './ReviewDetail';
import { ReviewRow } from './ReviewRow';
import styles from './Reviews.module.css';
import { useHandle } from './useHandle';

const KINDS: readonly ReviewKind[] = ['doubtful', 'quarantined', 'failed'];
const ICONS = { retry: IconRefresh, discard: IconTrash } as const;
const ACTS: readonly ReviewAct[] = ['retry', 'discard'];

/** Captures that need somebody: the list, and the chosen one beside what was read. */
export function Reviews() {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const navigate = useNavigate();
  const { data: overview } = useQuery(overviewQuery);
  const { kind = KINDS.find((one) => overview?.open[one]) ?? 'doubtful', capture } = useSearch({ from: '/operations' });
  const { data, isError, refetch, dataUpdatedAt } = useQuery(reviewsQuery(kind));
  const [marked, setMarked] = useState<readonly string[]>([]);
  const handle = useHandle(() => setMarked([]));

  const rows = data?.data ?? [];
  const ids = rows.map(({ requestID }) => requestID);
  const chosen = marked.filter((id) => ids.includes(id));
  const show = (next: { kind: ReviewKind; capture?: string }) =>
    navigate({ to: '/operations', search: { tab: 'reviews', ...next }, replace: true });

  return (
    <div className={styles.reviews}>
      <div className={styles.bar}>
        <SegmentedControl
          aria-label={t('kind.label')}
          classNames={{ root: styles.kinds, label: styles.kind }}
          value={kind}
          data={KINDS.map((one) => ({
            value: one,
            label: `${t(`kind.${one}`)}${overview ? ` · ${fmt.count(overview.open[one])}` : ''}`,
          }))}
          onChange={(value) => {
            setMarked([]);
            void show({ kind: KINDS.find((one) => one === value) ?? 'doubtful' });
          }}
        />
        {chosen.length > 0 && (
          <div className={styles.bulk}>
            <span>{t('act.chosen', { count: chosen.length })}</span>
            {ACTS.map((act) => {
              const Icon = ICONS[act];
              return (
                <Button
                  key={act}
                  size="xs"
                  variant={act === 'retry' ? 'filled' : 'default'}
                  leftSection={<Icon size={15} />}
                  loading={handle.isPending}
                  onClick={() => handle.mutate({ act, requestIDs: chosen })}
                >
                  {t(`act.${act}`)}
                </Button>
              );
            })}
          </div>
        )}
      </div>
      <p className={styles.about}>{t(`about.${kind}`)}</p>
      {isError && !data && <ErrorPanel onRetry={() => refetch()} />}
      {data && rows.length === 0 && !capture && (
        <EmptyState icon={<IconMoodCheck size={26} />} title={t('review.none')} />
      )}
      {(rows.length > 0 || capture) && (
        <div className={styles.split}>
          <div className={styles.side}>
            {rows.length > 0 && (
              <Checkbox
                className={styles.all}
                size="xs"
                label={t('review.all')}
                checked={chosen.length === rows.length}
                indeterminate={chosen.length > 0 && chosen.length < rows.length}
                onChange={(event) => setMarked(event.currentTarget.checked ? ids : [])}
              />
            )}
            <ul className={styles.list} aria-label={t('review.list')}>
              {rows.map((review) => (
                <ReviewRow
                  key={review.requestID}
                  review={review}
                  now={new Date(dataUpdatedAt)}
                  shown={review.requestID === capture}
                  marked={chosen.includes(review.requestID)}
                  onShow={() => show({ kind, capture: review.requestID })}
                  onMark={(on) =>
                    setMarked(on ? [...chosen, review.requestID] : chosen.filter((id) => id !== review.requestID))
                  }
                />
              ))}
            </ul>
          </div>
          {capture ? (
            <ReviewDetail
              key={capture}
              requestID={capture}
              busy={handle.isPending}
              onAct={(act) => handle.mutate({ act, requestIDs: [capture] }, { onSuccess: () => show({ kind }) })}
              onClose={() => show({ kind })}
            />
          ) : (
            <p className={styles.pick}>{t('review.pick')}</p>
          )}
        </div>
      )}
    </div>
  );
}

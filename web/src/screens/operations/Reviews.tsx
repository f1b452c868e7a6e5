import { Button, Checkbox, SegmentedControl } from '@mantine/core';
import { IconMoodCheck, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  handleCaptures,
  operationsKey,
  overviewQuery,
  type Review,
  type ReviewAct,
  type ReviewKind,
  reviewsQuery,
} from '~/api/queries/operations';
import { errorText } from '~/ui/errorText';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { ReviewDetail } from './ReviewDetail';
import styles from './Reviews.module.css';
import { SearchPlace } from './SearchPlace';

const KINDS: readonly ReviewKind[] = ['doubtful', 'quarantined', 'failed'];
const ICONS = { retry: IconRefresh, discard: IconTrash } as const;
const ACTIONS: readonly ReviewAct[] = ['retry', 'discard'];

/**
 * The captures of one kind that need a review, polled: the list, and the one that `capture` in the address names with its page and ads. The kind
 * is `kind` in the address, else the first that has captures. Retries or discards the one shown, or all that are checked.
 */
export function Reviews() {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const navigate = useNavigate();
  const { data: overview } = useQuery(overviewQuery);
  const { kind = KINDS.find((one) => overview?.open[one]) ?? 'doubtful', capture } = useSearch({ from: '/operations' });
  const { data, isError, refetch, dataUpdatedAt } = useQuery(reviewsQuery(kind));
  const [checked, setChecked] = useState<readonly string[]>([]);
  const handle = useHandleCaptures(() => setChecked([]));

  const rows = data?.data ?? [];
  const ids = rows.map(({ requestID }) => requestID);
  const selected = checked.filter((id) => ids.includes(id));
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
            setChecked([]);
            void show({ kind: KINDS.find((one) => one === value) ?? 'doubtful' });
          }}
        />
        {selected.length > 0 && (
          <div className={styles.bulk}>
            <span>{t('act.chosen', { count: selected.length })}</span>
            {ACTIONS.map((action) => {
              const Icon = ICONS[action];
              return (
                <Button
                  key={action}
                  size="xs"
                  variant={action === 'retry' ? 'filled' : 'default'}
                  leftSection={<Icon size={15} />}
                  loading={handle.isPending}
                  onClick={() => handle.mutate({ action, requestIDs: selected })}
                >
                  {t(`act.${action}`)}
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
                checked={selected.length === rows.length}
                indeterminate={selected.length > 0 && selected.length < rows.length}
                onChange={(event) => setChecked(event.currentTarget.checked ? ids : [])}
              />
            )}
            <ul className={styles.list} aria-label={t('review.list')}>
              {rows.map((review) => (
                <ReviewRow
                  key={review.requestID}
                  review={review}
                  now={new Date(dataUpdatedAt)}
                  shown={review.requestID === capture}
                  selected={selected.includes(review.requestID)}
                  onShow={() => show({ kind, capture: review.requestID })}
                  onSelect={(on) =>
                    setChecked(on ? [...selected, review.requestID] : selected.filter((id) => id !== review.requestID))
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
              onAction={(action) =>
                handle.mutate({ action, requestIDs: [capture] }, { onSuccess: () => show({ kind }) })
              }
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

interface ReviewRowProps {
  review: Review;
  /** When the list was loaded. */
  now: Date;
  shown: boolean;
  selected: boolean;
  onShow: () => void;
  onSelect: (on: boolean) => void;
}

/** A capture in the list: a checkbox that selects it for the bulk actions, and a button that shows its page. */
function ReviewRow({ review, now, shown, selected, onShow, onSelect }: ReviewRowProps) {
  const { t } = useTranslation(['operations', 'home']);
  const fmt = useFormats();
  const { term, reason, date } = review;
  return (
    <li className={styles.row} data-shown={shown || undefined}>
      <Checkbox
        size="xs"
        aria-label={t('review.one', { term })}
        checked={selected}
        onChange={(event) => onSelect(event.currentTarget.checked)}
      />
      <button type="button" className={styles.open} aria-pressed={shown} onClick={onShow}>
        <span className={styles.term}>{term}</span>
        <span className={styles.when} title={fmt.dateTime(date)}>
          {fmt.ago(date, now)}
        </span>
        <span className={styles.reason}>{reason && t(`home:reason.${reason}`, { defaultValue: reason })}</span>
        <SearchPlace {...review} />
      </button>
    </li>
  );
}

const DONE_TEXTS = { retry: 'act.retried', discard: 'act.discarded' } as const;

/**
 * A mutation that retries or discards captures; toasts say how many succeeded and why others did not. `onDone` is called even if none succeeded,
 * but not if the call fails. All queries of the operations page reload either way.
 */
function useHandleCaptures(onDone: () => void) {
  const { t } = useTranslation('operations');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ action, requestIDs }: { action: ReviewAct; requestIDs: string[] }) =>
      handleCaptures(action, requestIDs),
    onSuccess: (handled, { action }) => {
      const count = (...outcomes: string[]) => handled.filter(({ outcome }) => outcomes.includes(outcome)).length;
      const done = count('done');
      const closed = count('closed', 'unknown');
      const disabled = count('disabled');
      if (done > 0) toast.success(t(DONE_TEXTS[action], { count: done }));
      if (closed > 0) toast.warning(t('act.closed', { count: closed }));
      if (disabled > 0) toast.warning(t('act.disabled', { count: disabled }));
      onDone();
    },
    onError: (error) => toast.error(errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: operationsKey }),
  });
}

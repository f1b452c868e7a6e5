import { Button, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type GoogleRetrieval,
  googleKey,
  googleRetrievalsQuery,
  isUnderWay,
  stopRetrievals,
} from '~/api/queries/google';
import { errorText } from '~/ui/errorText';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './GoogleConnect.module.css';

const TONES: Record<string, Tone> = { queued: 'idle', running: 'busy', done: 'good', failed: 'bad', stopped: 'idle' };
const STATES = ['queued', 'running', 'done', 'failed', 'stopped'] as const;
/** Lines that are shown. */
const SHOWN = 8;
const FULL = 100;
const HALF = 50;

/** How far the retrievals of an account are, a line each; nothing before the first one. Its end loads the figures again. */
export function Retrievals({ id }: { id: number }) {
  const { t } = useTranslation('google');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { data } = useQuery(googleRetrievalsQuery(id));
  const busy = data?.filter(isUnderWay).length ?? 0;
  const before = useRef(busy);
  useEffect(() => {
    if (busy < before.current) {
      for (const part of ['statistics', 'days', 'item', 'budget']) {
        void queries.invalidateQueries({ queryKey: [...googleKey, part] });
      }
    }
    before.current = busy;
  }, [busy, queries]);
  const stop = useMutation({
    mutationFn: () => stopRetrievals(id),
    onSuccess: () => toast.success(t('retrievals.stopped')),
    onError: (error) => toast.error(t('retrievals.stopFailed'), errorText(error, common)),
    onSettled: () => void queries.invalidateQueries({ queryKey: googleKey }),
  });
  if (!data || data.length === 0) return null;
  // Those under way are shown first, however many have ended since.
  const lines = [...data.filter(isUnderWay), ...data.filter((one) => !isUnderWay(one))].slice(0, SHOWN);
  return (
    <section className={styles.panel} aria-labelledby="google-retrievals">
      <div className={styles.panelHead}>
        <h2 id="google-retrievals" className={styles.panelTitle}>
          {t('retrievals.title')}
        </h2>
        {busy > 0 && (
          <Button variant="subtle" size="compact-sm" className={styles.end} onClick={() => stop.mutate()}>
            {t('retrievals.stop')}
          </Button>
        )}
      </div>
      <ul className={styles.retrievals}>
        {lines.map((line) => (
          <RetrievalLine key={line.id} line={line} />
        ))}
      </ul>
    </section>
  );
}

function remarkText(remark: GoogleRetrieval['remarks'][number], t: TFunction<'google'>): string {
  switch (remark.kind) {
    case 'unaskable': {
      const words = remark.words.join(', ');
      return remark.others > 0
        ? t('retrievals.remark.unaskableMore', { words, others: remark.others })
        : t('retrievals.remark.unaskable', { words });
    }
    case 'elsewhere':
      return t('retrievals.remark.elsewhere', { count: remark.keywords, market: remark.market });
    case 'forgotten':
      return t('retrievals.remark.forgotten');
    case 'unknownCountry':
      return t('retrievals.remark.unknownCountry', { country: remark.country });
  }
}

function RetrievalLine({ line }: { line: GoogleRetrieval }) {
  const { t } = useTranslation('google');
  const fmt = useFormats();
  const state = STATES.find((one) => one === line.state) ?? 'queued';
  const share = { queued: 0, running: HALF, done: FULL, failed: FULL, stopped: FULL }[state];
  const name = `${line.source} ${fmt.date(line.startDate)} – ${fmt.date(line.endDate)}`;
  return (
    <li>
      <span className={styles.retrieval}>
        <strong>{name}</strong>
        <Progress value={share} animated={state === 'running'} className={styles.meter} aria-label={name} />
        <StatusBadge tone={TONES[state] ?? 'idle'}>{t(`retrievals.state.${state}`)}</StatusBadge>
        <span className={styles.dim}>
          {[
            t('retrievals.rows', { count: line.rows }),
            ...(line.source === 'SEA' ? [t('retrievals.operations', { count: line.operations })] : []),
            ...(state === 'running' && line.pages > 0 ? [t('retrievals.page', { page: line.pages })] : []),
          ].join(' · ')}
        </span>
      </span>
      {line.remarks.map((remark) => (
        <span key={remark.kind + ('country' in remark ? remark.country : '')} className={styles.note}>
          {remarkText(remark, t)}
        </span>
      ))}
      {line.note && (
        <span className={styles.note}>
          {line.note} {state === 'queued' && t('retrievals.waits', { time: fmt.minute(line.runAt) })}{' '}
          {state === 'failed' && line.requestId && t('retrievals.request', { id: line.requestId })}
        </span>
      )}
    </li>
  );
}

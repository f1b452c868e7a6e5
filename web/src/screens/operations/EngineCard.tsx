import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type EngineState, resumeEngine } from '~/api/queries/operations';
import { EngineIcon, StatusBadge, type Tone } from '~/ui/indicators';
import { lazyPart } from '~/ui/lazyPart';
import { useFormats } from '~/ui/useFormats';
import styles from './EngineCard.module.css';
import { useAct } from './useAct';
import { useKnownWords } from './words';

const PauseModal = lazyPart(() => import('./PauseModal').then((module) => module.PauseModal));

const TONES = { running: 'good', resting: 'warn', paused: 'bad' } as const satisfies Record<string, Tone>;

interface Props {
  state: EngineState;
  /** When this was so. */
  now: Date;
}

/** Whether an engine is asked, how that goes, and the switch. */
export function EngineCard({ state, now }: Props) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const known = useKnownWords();
  const [asking, setAsking] = useState(false);
  const name = known(`market:engine.${state.engine}`, state.engine);
  const resume = useAct(() => resumeEngine(state.engine), t('resume.done', { engine: name }));
  const { paused, restingSeconds, queue, lastHour } = state;
  const mode = paused ? 'paused' : restingSeconds == null ? 'running' : 'resting';
  return (
    <section className={styles.engine} aria-label={name}>
      <div className={styles.head}>
        <EngineIcon engine={state.engine} size={20} />
        <h3 className={styles.name}>{name}</h3>
        <StatusBadge tone={TONES[mode]}>{t(`engine.${mode}`)}</StatusBadge>
        <span className={styles.switch}>
          {paused ? (
            <Button
              size="xs"
              variant="light"
              leftSection={<IconPlayerPlay size={15} />}
              loading={resume.isPending}
              onClick={() => resume.mutate()}
            >
              {t('resume.action')}
            </Button>
          ) : (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlayerPause size={15} />}
              onClick={() => setAsking(true)}
            >
              {t('pause.action')}
            </Button>
          )}
        </span>
      </div>
      {paused && (
        <p className={styles.why}>
          {t('engine.pausedBy', { name: paused.by, ago: fmt.ago(paused.since, now) })}
          {paused.reason && <q>{paused.reason}</q>}
        </p>
      )}
      {mode === 'resting' && (
        <p className={styles.why}>{t('engine.restingFor', { span: fmt.span(restingSeconds ?? 0) })}</p>
      )}
      <dl className={styles.figures}>
        <div>
          <dt>{t('engine.waiting')}</dt>
          <dd>{fmt.count(queue.waiting + queue.later)}</dd>
        </div>
        <div>
          <dt>{t('engine.underWay')}</dt>
          <dd>{fmt.count(queue.underWay)}</dd>
        </div>
        <div>
          <dt>{t('engine.age')}</dt>
          <dd>{queue.oldestAgeSeconds > 0 ? fmt.span(queue.oldestAgeSeconds) : '–'}</dd>
        </div>
        <div className={styles.hour}>
          <dt>{t('engine.hour')}</dt>
          <dd>
            {t('engine.pages', { count: lastHour.results + lastHour.doubtful })},{' '}
            <span data-bad={lastHour.failed > 0 || undefined}>{t('engine.failed', { count: lastHour.failed })}</span>
          </dd>
        </div>
      </dl>
      {asking && <PauseModal engine={state.engine} name={name} onClose={() => setAsking(false)} />}
    </section>
  );
}

import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type EngineState, type Overview, resumeEngine } from '~/api/queries/operations';
import { useOperation } from '~/monitoring/useOperation';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { lazyPart } from '~/ui/lazyPart';
import { EngineIcon } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import styles from './Operations.module.css';

const PauseModal = lazyPart(() => import('./PauseModal').then((module) => module.PauseModal));

const TONES = { running: 'good', resting: 'warn', paused: 'bad' } as const satisfies Record<string, Tone>;

/** The search engines: their state, queue and last hour, with a button to pause or resume each. None while `overview` is undefined. */
export function Engines({ overview }: { overview: Overview | undefined }) {
  const { t } = useTranslation('operations');
  return (
    <section className={styles.card} aria-labelledby="engines">
      <div className={styles.cardHead}>
        <h2 id="engines" className={styles.cardTitle}>
          {t('engines')}
        </h2>
      </div>
      {overview?.engines.map((engine) => (
        <EngineCard key={engine.engine} state={engine} now={new Date(overview.asOf)} />
      ))}
    </section>
  );
}

interface EngineCardProps {
  state: EngineState;
  /** When the state was loaded. */
  now: Date;
}

/**
 * One engine: paused by an administrator, resting after refusals, or running; its queue and last hour. Resuming acts at once, pausing opens a
 * dialog.
 */
function EngineCard({ state, now }: EngineCardProps) {
  const { t } = useTranslation(['operations', 'market']);
  const fmt = useFormats();
  const [pausing, setPausing] = useState(false);
  const name = t(`market:engine.${state.engine}`, { defaultValue: state.engine });
  const resume = useOperation(() => resumeEngine(state.engine), t('resume.done', { engine: name }));
  const { paused, restingSeconds, queue, lastHour } = state;
  const mode = paused ? 'paused' : restingSeconds == null ? 'running' : 'resting';
  return (
    <section className={styles.engine} aria-label={name}>
      <div className={styles.engineHead}>
        <EngineIcon engine={state.engine} size={20} />
        <h3 className={styles.engineName}>{name}</h3>
        <StatusBadge tone={TONES[mode]}>{t(`engine.${mode}`)}</StatusBadge>
        <span className={styles.engineSwitch}>
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
              onClick={() => setPausing(true)}
            >
              {t('pause.action')}
            </Button>
          )}
        </span>
      </div>
      {paused && (
        <p className={styles.engineNote}>
          {t('engine.pausedBy', { name: paused.by, ago: fmt.ago(paused.since, now) })}
          {paused.reason && <q>{paused.reason}</q>}
        </p>
      )}
      {mode === 'resting' && (
        <p className={styles.engineNote}>{t('engine.restingFor', { span: fmt.span(restingSeconds ?? 0) })}</p>
      )}
      <dl className={styles.engineFigures}>
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
        <div className={styles.lastHour}>
          <dt>{t('engine.hour')}</dt>
          <dd>
            {t('engine.pages', { count: lastHour.results + lastHour.doubtful })},{' '}
            <span data-bad={lastHour.failed > 0 || undefined}>{t('engine.failed', { count: lastHour.failed })}</span>
          </dd>
        </div>
      </dl>
      {pausing && <PauseModal engine={state.engine} name={name} onClose={() => setPausing(false)} />}
    </section>
  );
}

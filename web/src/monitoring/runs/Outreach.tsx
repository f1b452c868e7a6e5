import { Button, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { outreachTodayQuery, type RunLine, strikeCase } from '~/api/queries/outreachToday';
import { ErrorPanel } from '~/ui/feedback';
import { StatusBadge } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import { useOperation } from '../useOperation';
import { MailStops } from './MailStops';
import styles from './runs.module.css';

/** What the next run of reminders sends and blocks, line by line, the first mails that wait to be written, and the stops; polled. */
export function Outreach() {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery(outreachTodayQuery);
  return (
    <div className={styles.outreach}>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />)}
      {data && (
        <>
          <h3 className={styles.cardTitle}>
            {t('outreach.run', { at: fmt.dateTime(data.run) })} · {t('outreach.lines', { count: data.total })}
          </h3>
          <Lines lines={data.lines} total={data.total} />
          {data.notificationsTotal > 0 && (
            <>
              <h3 className={styles.cardTitle}>
                {t('outreach.notifications')} · {t('outreach.lines', { count: data.notificationsTotal })}
              </h3>
              <Lines lines={data.notifications} total={data.notificationsTotal} />
            </>
          )}
        </>
      )}
      <MailStops />
    </div>
  );
}

/** Lines as a table, and how many more there are. */
function Lines({ lines, total }: { lines: readonly RunLine[]; total: number }) {
  const { t } = useTranslation('operations');
  if (total === 0) return <p className={styles.dim}>{t('outreach.nothing')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={styles.scroll} aria-label={t('tab.outreach')} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('outreach.case')}</th>
            <th scope="col">{t('outreach.step')}</th>
            <th scope="col">{t('outreach.to')}</th>
            <th scope="col">{t('outreach.state')}</th>
            <th scope="col">
              <span className="visually-hidden">{t('outreach.strike')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <LineRow key={line.actionID} line={line} />
          ))}
        </tbody>
      </table>
      {total > lines.length && <p className={styles.dim}>{t('outreach.more', { count: total - lines.length })}</p>}
    </section>
  );
}

/** A case with what happens to it, and the button that strikes it out or takes it back. */
function LineRow({ line }: { line: RunLine }) {
  const { t } = useTranslation(['operations', 'market']);
  const fmt = useFormats();
  const isStruck = line.obstacle === 'struck';
  const change = useOperation(
    () => strikeCase(line.actionID, !isStruck),
    t(isStruck ? 'outreach.restoredDone' : 'outreach.struckDone'),
  );
  const step =
    line.step === 'block'
      ? t('outreach.block')
      : line.step === 'notify'
        ? t('outreach.notify')
        : t('outreach.remind', { number: line.reminder });
  return (
    <tr>
      <th scope="row" className={styles.lead}>
        <Link to="/action/$id" params={{ id: String(line.actionID) }}>
          {line.domain}
        </Link>
        <span className={styles.under}>
          {[
            line.brand,
            line.country && fmt.country(line.country),
            line.engine && t(`market:engine.${line.engine as 'google'}`, { defaultValue: line.engine }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </th>
      <td data-label={t('outreach.step')}>
        {step}
        <span className={styles.under}>
          {line.reason
            ? t(`outreach.reason.${line.reason as 'unknown'}`, { defaultValue: line.reason })
            : line.template &&
              `${line.template.label} (${line.template.language.toUpperCase()}, v${line.template.version})`}
        </span>
      </td>
      <td data-label={t('outreach.to')} className={styles.dim}>
        {line.recipients.join(', ') || '–'}
      </td>
      <td data-label={t('outreach.state')}>
        <LineState line={line} />
      </td>
      <td>
        <Button
          size="compact-sm"
          variant="default"
          loading={change.isPending}
          aria-label={t(isStruck ? 'outreach.restoreOf' : 'outreach.strikeOf', { domain: line.domain })}
          onClick={() => change.mutate()}
        >
          {t(isStruck ? 'outreach.restore' : 'outreach.strike')}
        </Button>
      </td>
    </tr>
  );
}

/** Why nothing happens to a case, what holds its mail, or that it leaves. */
function LineState({ line }: { line: RunLine }) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  if (line.obstacle) {
    const names = line.holes.join(', ');
    return (
      <StatusBadge tone={line.obstacle === 'struck' ? 'idle' : 'warn'}>
        {t(`outreach.obstacle.${line.obstacle as 'struck'}`, { names, defaultValue: line.obstacle })}
      </StatusBadge>
    );
  }
  if (line.holds.length === 0)
    return <StatusBadge tone="good">{t(line.step === 'block' ? 'outreach.happens' : 'outreach.leaves')}</StatusBadge>;
  return line.holds.map(({ reason, until }) => (
    <StatusBadge key={reason} tone={reason === 'working_hours' ? 'good' : 'warn'}>
      {t('outreach.until', {
        reason: t(`outreach.hold.${reason as 'stopped'}`, { defaultValue: reason }),
        at: fmt.dateTime(until),
      })}
    </StatusBadge>
  ));
}

import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconBolt, IconCalendarClock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { scheduleQuery } from '~/api/queries/alerts';
import { useFormats } from '~/ui/useFormats';
import styles from './Alerts.module.css';
import { type AlertValues, scheduleOf } from './alertValues';
import { momentIn } from './words';

/** After the last key. */
const DELAY_MS = 300;

/** Says before an alert is saved when it would be sent next. */
export function NextTimes({ values }: { values: AlertValues }) {
  const { t, i18n } = useTranslation('alerts');
  const fmt = useFormats();
  // The same object until a value changes: the delay begins again for another one.
  const schedule = useMemo(() => scheduleOf(values), [values]);
  const [asked] = useDebouncedValue(schedule, DELAY_MS);
  const { data, error } = useQuery({ ...scheduleQuery(asked ?? {}), enabled: asked !== undefined });
  const say = (Icon: typeof IconBolt, text: string, bad = false) => (
    <p className={styles.times} data-bad={bad || undefined} role="status">
      <Icon size={18} aria-hidden />
      <span>{text}</span>
    </p>
  );
  if (values.way === 'event') return say(IconBolt, t('afterEvent'));
  if (!schedule) return say(IconCalendarClock, t('noTime'));
  if (error)
    return say(
      IconAlertTriangle,
      error instanceof ApiError && error.status === 422 ? t('noSchedule') : t('timesFailed'),
      true,
    );
  const [first, ...later] = data?.next.map((at) => momentIn(at, data.zone, i18n.language)) ?? [];
  if (!data || !first) return say(IconCalendarClock, '…');
  return say(
    IconCalendarClock,
    `${t('nextTime', { at: first, zone: data.zone })} ${later.length > 0 ? t('thenTimes', { times: fmt.list(later) }) : ''}`,
  );
}

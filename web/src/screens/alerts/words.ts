import { useTranslation } from 'react-i18next';
import type { Alert } from '~/api/queries/alerts';
import { useFormats } from '~/ui/useFormats';
import { daysOf, EVENTS, unitsOf, WEEKDAYS } from './alertValues';

/** A day and time on the clock of a zone, as in 'Monday 30 November, 08:00'. */
export function momentIn(at: string, zone: string, language: string): string {
  const date = new Date(at);
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { timeZone: zone, ...options }).format(date);
  return `${part({ weekday: 'long', day: 'numeric', month: 'long' })}, ${part({ hour: '2-digit', minute: '2-digit' })}`;
}

/** The time zone of the reader's clock. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone in brackets where it is not that of the reader's clock. */
const otherZone = (zone: string): string => (zone === browserZone() ? '' : ` (${zone})`);

/** A moment to come on the clock of the schedules, named where the reader has another one. */
export const comingIn = (at: string, zone: string, language: string): string =>
  momentIn(at, zone, language) + otherZone(zone);

/** A moment of the past on the clock of the schedules, as in '30 Nov 2026, 08:00'. */
export const pastIn = (at: string, zone: string, language: string): string =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    timeZone: zone,
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(new Date(at)) + otherZone(zone);

/** When an alert is sent, in words. */
export function useWhenWords(): (alert: Pick<Alert, 'hookTrigger' | 'cron' | 'frequency'>) => string {
  const { t } = useTranslation('alerts');
  const fmt = useFormats();
  return ({ hookTrigger, cron, frequency }) => {
    if (hookTrigger) {
      const name = EVENTS[hookTrigger as keyof typeof EVENTS];
      return name ? t(`event.${name}`) : hookTrigger;
    }
    const days = daysOf(cron);
    if (days && days.days.length === WEEKDAYS.length) return t('everyDay', { time: days.time });
    if (days) {
      const names = WEEKDAYS.flatMap((day, at) => (days.days.includes(day) ? [fmt.weekday(at + 1, 'long')] : []));
      return t('onDays', { days: fmt.list(names), time: days.time });
    }
    if (cron?.trim()) return t('byCron', { cron });
    const every = unitsOf(frequency ?? '7 days');
    return every ? t(`every.${every.unit}`, { count: every.count }) : String(frequency);
  };
}

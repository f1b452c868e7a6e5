import type { Alert, AlertBody, ScheduleBody } from '~/api/queries/alerts';
import { dayjs } from '~/lib/dates';
import type { Chosen } from '~/ui/form/AsyncSelect';

/** The server's limits. */
export const MOST_RECIPIENTS = 50;
export const LONGEST_LINE = 200;
export const MOST_UNITS = 1_000;

/** How an alert is timed: on days of the week, every so often, by a cron expression, or after an event. */
export const WAYS = ['days', 'every', 'event', 'cron'] as const;
export type Way = (typeof WAYS)[number];

export const UNITS = ['hours', 'days', 'weeks', 'months'] as const;
export type Unit = (typeof UNITS)[number];

/** The events that an alert can follow, with their names in texts. */
export const EVENTS = {
  'action.new': 'new',
  'action.reappearance': 'reappearance',
  'action.accepted': 'accepted',
  'action.refused': 'refused',
  'action.blocked': 'blocked',
  'email.received': 'received',
} as const;
export type Hook = keyof typeof EVENTS;
export const HOOKS = Object.keys(EVENTS) as Hook[];

/** Days as cron expressions name them, Monday first. */
export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;

/** A moment as the browser's field has it. */
const FIELD = 'YYYY-MM-DDTHH:mm';
const MORNING = 8;

/** Hours and minutes of days of the week; `*` is every day. */
const OF_DAYS = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[A-Z]{3}(?:,[A-Z]{3})*)$/;
const OF_UNITS = /^\s*(\d+)\s+(hour|day|week|month)s?\s*$/i;

/** The fields of the form, named as on the server where it refuses them. */
export interface AlertValues extends Record<string, unknown> {
  brandId: Chosen | null;
  enable: boolean;
  way: Way;
  days: string[];
  /** Hours and minutes on the clock of the schedules. */
  time: string;
  frequency: number | '';
  unit: Unit;
  startDate: string;
  cron: string;
  hookTrigger: Hook;
  recipientIds: string[];
  from: string | null;
  fromName: string;
  subject: string;
  /** Empty for the text of the product. */
  templateId: string;
  withReport: boolean;
}

/** The days and the time of a cron expression that has nothing else; undefined for any other. */
export function daysOf(cron: string | null | undefined): { days: string[]; time: string } | undefined {
  const [, minute, hour, named] = OF_DAYS.exec(cron?.trim() ?? '') ?? [];
  if (minute === undefined || hour === undefined || named === undefined) return undefined;
  const days = named === '*' ? [...WEEKDAYS] : named.split(',');
  const isKnown = days.every((day) => WEEKDAYS.some((one) => one === day));
  if (!isKnown || Number(hour) > 23 || Number(minute) > 59) return undefined;
  return { days, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

/** The number and the unit of a frequency; undefined for anything else. */
export function unitsOf(frequency: string | null | undefined): { count: number; unit: Unit } | undefined {
  const [, count, word] = OF_UNITS.exec(frequency ?? '') ?? [];
  const unit = UNITS.find((one) => one === `${word?.toLowerCase()}s`);
  return count === undefined || !unit ? undefined : { count: Number(count), unit };
}

/** How a stored alert is timed. */
export function wayOf({ hookTrigger, cron }: Pick<Alert, 'hookTrigger' | 'cron'>): Way {
  if (hookTrigger) return 'event';
  if (!cron?.trim()) return 'every';
  return daysOf(cron) ? 'days' : 'cron';
}

const asHook = (name: string | null | undefined): Hook => HOOKS.find((one) => one === name) ?? 'action.new';

/** The form of a stored alert, or of a new one of this event or, without one, of every Monday. */
export function valuesOf(
  alert: Alert | undefined,
  fresh: { hook?: Hook; brand?: Chosen; reader: number },
): AlertValues {
  const stored = daysOf(alert?.cron);
  const every = unitsOf(alert?.frequency);
  const tomorrow = dayjs().add(1, 'day').hour(MORNING).minute(0);
  return {
    brandId: alert ? { value: alert.brandId, label: alert.brand ?? String(alert.brandId) } : (fresh.brand ?? null),
    enable: alert?.enable ?? true,
    way: alert ? wayOf(alert) : fresh.hook ? 'event' : 'days',
    days: stored?.days ?? ['MON'],
    time: stored?.time ?? `0${MORNING}:00`,
    frequency: every?.count ?? 7,
    unit: every?.unit ?? 'days',
    startDate: (alert?.startDate ? dayjs(alert.startDate) : tomorrow).format(FIELD),
    cron: alert?.cron ?? '',
    hookTrigger: asHook(alert?.hookTrigger ?? fresh.hook),
    recipientIds: alert ? alert.recipientIds.map(String) : [String(fresh.reader)],
    from: alert?.from ?? null,
    fromName: alert?.fromName ?? '',
    subject: alert?.subject ?? '',
    templateId: alert?.templateId ? String(alert.templateId) : '',
    withReport: alert?.withReport ?? false,
  };
}

/** The schedule of the form, as far as it is filled in; undefined for an event and while something is missing. */
export function scheduleOf({
  way,
  days,
  time,
  frequency,
  unit,
  startDate,
  cron,
}: AlertValues): ScheduleBody | undefined {
  switch (way) {
    case 'days': {
      const [hour, minute] = time.split(':');
      if (days.length === 0 || !hour || !minute) return undefined;
      const named = days.length === WEEKDAYS.length ? '*' : WEEKDAYS.filter((day) => days.includes(day)).join(',');
      return { cron: `${Number(minute)} ${Number(hour)} * * ${named}` };
    }
    case 'every': {
      if (frequency === '') return undefined;
      const start = dayjs(startDate);
      return { frequency: `${frequency} ${unit}`, ...(start.isValid() && { startDate: start.toISOString() }) };
    }
    case 'cron':
      return cron.trim() === '' ? undefined : { cron: cron.trim() };
    case 'event':
      return undefined;
  }
}

/** What is sent to the server; without a brand it is refused there. */
export const bodyOf = (values: AlertValues): AlertBody => ({
  brandId: Number(values.brandId?.value ?? 0),
  enable: values.enable,
  recipientIds: values.recipientIds.map(Number),
  from: values.from,
  fromName: values.fromName.trim() || null,
  subject: values.subject.trim() || null,
  templateId: values.templateId ? Number(values.templateId) : null,
  withReport: values.withReport,
  hookTrigger: values.way === 'event' ? values.hookTrigger : null,
  ...scheduleOf(values),
});

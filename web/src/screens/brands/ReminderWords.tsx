import { useTranslation } from 'react-i18next';
import { useFormats } from '~/ui/useFormats';

/** Days that are named one by one; of more, the first and the last. */
const NAMED_DAYS = 5;

interface Props {
  /** Whether reminders are sent. */
  auto: boolean;
  /** Days between them, and how many; null while invalid. */
  frequency: number | null;
  quota: number | null;
}

/** On which days a case without an answer is reminded, and when it is blocked. */
export function ReminderWords({ auto, frequency, quota }: Props) {
  const { t } = useTranslation('brands');
  const fmt = useFormats();
  if (frequency === null || quota === null) return t('reminder.invalid');
  if (!auto) return t('reminder.off');
  const blocked = fmt.count(frequency * (quota + 1));
  if (quota === 0) return t('reminder.none', { blocked });
  const days = Array.from({ length: quota }, (_, index) => fmt.count(frequency * (index + 1)));
  if (quota <= NAMED_DAYS) return t('reminder.days', { count: quota, days: fmt.list(days), blocked });
  return t('reminder.every', { count: frequency, quota, first: days[0], last: days.at(-1), blocked });
}

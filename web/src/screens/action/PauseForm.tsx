import { Button, FocusTrap, Group } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { dayjs } from '~/lib/dates';
import { Calendars } from '~/ui/Calendars';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './Action.module.css';
import { useChange } from './useChange';

/** Spans that are offered, in days. */
const SPANS = [
  ['week', 7],
  ['fortnight', 14],
  ['month', 30],
] as const;

/** The furthest day that the server takes. */
const MOST_DAYS = 366;

/** How a day is written to the server. */
const DAY = 'YYYY-MM-DD';

const inDays = (days: number): string => dayjs().add(days, 'day').format(DAY);

/** Takes the day before which no reminder leaves: one of some spans, or any of the calendar. */
export function PauseForm({ row, onClose }: { row: CaseRow; onClose(): void }) {
  const { t } = useTranslation('action');
  const common = useTranslation('common').t;
  const fmt = useFormats();
  const change = useChange(row);
  const { mutate, isPending } = useMutation({
    mutationFn: async (until: string) => {
      const link = row.links.pause;
      if (link) await change({ link, body: { until }, done: t('pause.done', { date: fmt.date(until) }) });
    },
    onSuccess: onClose,
    onError: (error) => toast.error(t('pause.failed'), errorText(error, common)),
  });
  return (
    <FocusTrap>
      <div>
        <p className={styles.question}>{t('pause.title')}</p>
        <Group gap={6} my={10}>
          {SPANS.map(([span, days]) => (
            <Button
              key={span}
              size="compact-sm"
              variant="default"
              disabled={isPending}
              onClick={() => mutate(inDays(days))}
            >
              {t(`pause.${span}`)}
            </Button>
          ))}
        </Group>
        <Calendars>
          <DatePicker
            hideOutsideDates
            value={row.pausedUntil ?? null}
            minDate={inDays(1)}
            maxDate={inDays(MOST_DAYS)}
            onChange={(day) => day && !isPending && mutate(day)}
            ariaLabels={{ previousMonth: t('pause.previousMonth'), nextMonth: t('pause.nextMonth') }}
          />
        </Calendars>
      </div>
    </FocusTrap>
  );
}

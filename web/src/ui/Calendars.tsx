import { DatesProvider } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/fr';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** Calendars in it are styled and in the language of the reader, and their weeks start on Monday. */
export function Calendars({ children }: { children: ReactNode }) {
  const { i18n } = useTranslation();
  return (
    <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: 1, weekendDays: [] }}>{children}</DatesProvider>
  );
}

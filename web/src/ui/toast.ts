import { notifications } from '@mantine/notifications';
import { i18next } from '~/i18n';

/** How long a toast stays open. */
const TOAST_MS = 5_000;

type Tone = 'success' | 'warning' | 'error';

const COLOURS: Record<Tone, string> = { success: 'teal', warning: 'yellow', error: 'red' };

/**
 * Shows a toast for five seconds: announced politely to screen readers for a success, at once for others. A text that is shown already in that tone
 * is not shown twice.
 */
function show(tone: Tone, message: string): void {
  notifications.show({
    id: `${tone}:${message}`,
    message,
    color: COLOURS[tone],
    autoClose: TOAST_MS,
    withBorder: true,
    closeButtonProps: { 'aria-label': i18next.t('common:close') },
    role: tone === 'success' ? 'status' : 'alert',
  });
}

export const toast = {
  success: (message: string) => show('success', message),
  warning: (message: string) => show('warning', message),
  error: (message: string) => show('error', message),
  /** Closes all toasts. */
  clear: () => notifications.clean(),
};

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
function show(tone: Tone, text: string, detail?: string): void {
  notifications.show({
    id: `${tone}:${text}:${detail ?? ''}`,
    ...(detail ? { title: text, message: detail } : { message: text }),
    color: COLOURS[tone],
    autoClose: TOAST_MS,
    withBorder: true,
    closeButtonProps: { 'aria-label': i18next.t('common:close') },
    role: tone === 'success' ? 'status' : 'alert',
  });
}

export const toast = {
  /** `detail` goes below the text: what was done, or why it failed. */
  success: (text: string, detail?: string) => show('success', text, detail),
  warning: (message: string) => show('warning', message),
  error: (text: string, detail?: string) => show('error', text, detail),
  /** Closes all toasts. */
  clear: () => notifications.clean(),
};

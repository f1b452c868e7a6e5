import { Button, CloseButton } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { undoOperation } from '~/api/queries/undo';
import { errorText } from './errorText';
import { toast } from './toast';
import styles from './UndoBar.module.css';
import { endOffer, UNDO_MS, type UndoOffer } from './undo';

const SECOND_MS = 1_000;

/** The whole seconds that are left; at 0 it calls `onOver`. Does not run while `paused`. */
function useSecondsLeft(until: number, paused: boolean, onOver: () => void): number {
  const left = () => Math.max(0, Math.ceil((until - performance.now()) / SECOND_MS));
  const [seconds, setSeconds] = useState(left);
  const over = useRef(onOver);
  over.current = onOver;
  useEffect(() => {
    if (paused) return;
    const timer = setInterval(() => {
      const now = Math.max(0, Math.ceil((until - performance.now()) / SECOND_MS));
      setSeconds(now);
      if (now === 0) over.current();
    }, SECOND_MS / 4);
    return () => clearInterval(timer);
  }, [until, paused]);
  return seconds;
}

/** Whether the key is to undo what was typed in the focused field. */
const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** Offers to undo what was done last, for ten seconds: by its button, or Ctrl+Z outside of fields. */
export function UndoBar({ offer }: { offer: UndoOffer }) {
  const { t } = useTranslation('common');
  const queries = useQueryClient();
  const bar = useRef<HTMLElement>(null);
  const close = () => {
    if (bar.current?.contains(document.activeElement)) document.querySelector('h1')?.focus();
    endOffer(offer);
  };
  const { mutate, isPending } = useMutation({
    mutationFn: async () => void (await (offer.undo ?? (() => undoOperation(offer.operation)))()),
    onSuccess: () => {
      toast.success(t('undo.done'));
      offer.onUndone?.();
    },
    onError: (error) => toast.error(t('undo.failed'), errorText(error, t)),
    onSettled: () => {
      close();
      return Promise.all(offer.changes.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  const seconds = useSecondsLeft(offer.until, isPending, close);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
      if (!isUndo || isTyping(event)) return;
      event.preventDefault();
      if (!isPending) mutate();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [mutate, isPending]);

  return (
    <section ref={bar} className={styles.bar} data-in-modal={offer.inModal} aria-label={t('undo.label')}>
      <p className={styles.text}>{offer.text}</p>
      <Button
        size="compact-md"
        variant="light"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        aria-keyshortcuts="Control+Z Meta+Z"
        loading={isPending}
        onClick={() => mutate()}
      >
        {t('undo.button')}
        <span className={styles.seconds} aria-hidden>
          {t('undo.seconds', { count: seconds })}
        </span>
      </Button>
      <CloseButton size="sm" aria-label={t('close')} onClick={close} />
      <span className={styles.left} style={{ animationDuration: `${UNDO_MS}ms` }} aria-hidden />
    </section>
  );
}

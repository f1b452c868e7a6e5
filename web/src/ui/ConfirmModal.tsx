import { Button, Checkbox, Group, Modal, Text } from '@mantine/core';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { KeptTheirs } from './conflict';
import { errorText } from './errorText';
import { toast } from './toast';
import { useReturnFocus } from './useReturnFocus';

interface Props {
  title: string;
  /** What will happen, and to what. */
  text: string;
  confirm: ReactNode;
  /** Irreversible: the button is red. */
  danger?: boolean;
  /** Label of a box that must be ticked first, for what concerns more than is in sight. */
  sure?: string | undefined;
  /** What else the act takes, below the text. */
  children?: ReactNode;
  act(): Promise<void>;
  /** Text of the toast on success. */
  done?: string;
  /** What failed, above the reason in the toast of a failure. */
  failed?: string;
  /** Query keys to invalidate afterwards. */
  changes?: readonly QueryKey[];
  onClose(): void;
}

/**
 * Asks for confirmation and calls `act`. Success closes the modal and shows the toast `done`; a failure shows a toast, `failed` with the
 * reason or else the reason alone, and leaves it open. It also closes when the user keeps what somebody else did instead.
 * `changes` is invalidated either way.
 */
export function ConfirmModal({
  title,
  text,
  confirm,
  danger,
  sure,
  children,
  act,
  done,
  failed,
  changes,
  onClose,
}: Props) {
  useReturnFocus();
  const { t } = useTranslation('common');
  const queries = useQueryClient();
  const [ticked, setTicked] = useState(false);
  const acting = useMutation({
    mutationFn: act,
    onSuccess: () => {
      if (done) toast.success(done);
      onClose();
    },
    onError: (error) => {
      if (error instanceof KeptTheirs) return onClose();
      if (failed) toast.error(failed, errorText(error, t));
      else toast.error(errorText(error, t));
    },
    onSettled: () => Promise.all((changes ?? []).map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  return (
    <Modal opened onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': t('close') }}>
      <Text>{text}</Text>
      {children}
      {sure && (
        <Checkbox mt="md" label={sure} checked={ticked} onChange={(event) => setTicked(event.currentTarget.checked)} />
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('cancel')}
        </Button>
        <Button
          {...(danger && { color: 'red.9' })}
          loading={acting.isPending}
          disabled={sure !== undefined && !ticked}
          onClick={() => acting.mutate()}
        >
          {confirm}
        </Button>
      </Group>
    </Modal>
  );
}

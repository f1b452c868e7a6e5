import { Button, Modal, type ModalProps, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useReturnFocus } from '../useReturnFocus';
import styles from './FormModal.module.css';

interface FrameProps {
  title: string;
  onClose(): void;
  /** Mantine's default otherwise. */
  size?: ModalProps['size'];
  children: ReactNode;
}

interface FormProps {
  submitLabel: string;
  saving: boolean;
  /** Refuses to submit yet. */
  disabled?: boolean;
  onSubmit(event: FormEvent<HTMLFormElement>): void;
  onCancel(): void;
  /** Beside the buttons. */
  foot?: ReactNode;
  children: ReactNode;
}

/** A modal for a form, which returns the focus when it closes. A click beside it does not close it: what was typed would be lost. */
export function ModalFrame({ title, onClose, size, children }: FrameProps) {
  useReturnFocus();
  const { t } = useTranslation('common');
  return (
    <Modal
      opened
      onClose={onClose}
      closeOnClickOutside={false}
      title={title}
      centered
      {...(size && { size })}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {children}
    </Modal>
  );
}

/**
 * A form with its buttons, for a modal that is already open. It neither validates nor closes: `onSubmit` gets the event as it is. `foot` is shown
 * beside the buttons.
 */
export function ModalForm({ submitLabel, saving, disabled, onSubmit, onCancel, foot, children }: FormProps) {
  const { t } = useTranslation('common');
  return (
    <form className={styles.form} onSubmit={onSubmit} noValidate>
      <Stack gap="md">{children}</Stack>
      <div className={styles.foot}>
        {foot && <div className={styles.beside}>{foot}</div>}
        <Button variant="default" onClick={() => onCancel()}>
          {t('cancel')}
        </Button>
        <Button type="submit" loading={saving} disabled={disabled}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}

/** A form in a modal. `onClose` is called when the user closes or cancels; after saving the caller closes it. */
export function FormModal({
  title,
  onClose,
  size,
  ...form
}: Omit<FormProps, 'onCancel'> & Omit<FrameProps, 'children'>) {
  return (
    <ModalFrame title={title} onClose={onClose} {...(size && { size })}>
      <ModalForm {...form} onCancel={onClose} />
    </ModalFrame>
  );
}

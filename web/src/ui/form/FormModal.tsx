import { Button, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useReturnFocus } from '../useReturnFocus';
import styles from './FormModal.module.css';

interface Props {
  title: string;
  submitLabel: string;
  saving: boolean;
  onSubmit(event: FormEvent<HTMLFormElement>): void;
  onClose(): void;
  /** Width in px; Mantine's default otherwise. */
  size?: number;
  children: ReactNode;
}

/** A form in a modal. A click beside it does not close it: what was typed would be lost. */
export function FormModal({ title, submitLabel, saving, onSubmit, onClose, size, children }: Props) {
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
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">{children}</Stack>
        <div className={styles.foot}>
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={saving}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

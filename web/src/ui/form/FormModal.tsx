import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useReturnFocus } from '../useReturnFocus';

interface Props {
  title: string;
  submitLabel: string;
  saving: boolean;
  /** Refuses to submit yet. */
  disabled?: boolean;
  size?: ModalProps['size'];
  onSubmit(event: FormEvent<HTMLFormElement>): void;
  onClose(): void;
  children: ReactNode;
}

/** A form in a modal. */
export function FormModal({ title, submitLabel, saving, disabled, size, onSubmit, onClose, children }: Props) {
  useReturnFocus();
  const { t } = useTranslation('common');
  return (
    <Modal opened onClose={onClose} title={title} size={size} centered closeButtonProps={{ 'aria-label': t('close') }}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">{children}</Stack>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={saving} disabled={disabled}>
            {submitLabel}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

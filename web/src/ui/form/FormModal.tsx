import { Button, Group, Modal, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useReturnFocus } from '../useReturnFocus';

interface FrameProps {
  title: string;
  onClose(): void;
  children: ReactNode;
}

interface FormProps {
  submitLabel: string;
  saving: boolean;
  onSubmit(event: FormEvent<HTMLFormElement>): void;
  onCancel(): void;
  children: ReactNode;
}

/** A modal that returns the focus when it closes. */
export function ModalFrame({ title, onClose, children }: FrameProps) {
  useReturnFocus();
  const { t } = useTranslation('common');
  return (
    <Modal opened onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': t('close') }}>
      {children}
    </Modal>
  );
}

/** A form with its buttons, for a modal that is already open. */
export function ModalForm({ submitLabel, saving, onSubmit, onCancel, children }: FormProps) {
  const { t } = useTranslation('common');
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">{children}</Stack>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button type="submit" loading={saving}>
          {submitLabel}
        </Button>
      </Group>
    </form>
  );
}

/** A form in a modal of its own. */
export function FormModal({ title, onClose, ...form }: Omit<FormProps, 'onCancel'> & Omit<FrameProps, 'children'>) {
  return (
    <ModalFrame title={title} onClose={onClose}>
      <ModalForm {...form} onCancel={onClose} />
    </ModalFrame>
  );
}

import { Button, Group, Modal, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useReturnFocus } from '~/ui/useReturnFocus';

interface Props {
  /** Number of rows. */
  total: number;
  onClose(): void;
  onConfirm(): void;
}

/** A modal that asks for confirmation before all `total` rows are loaded; closing it is up to the caller. */
export function ShowAllWarning({ total, onClose, onConfirm }: Props) {
  useReturnFocus();
  const { t } = useTranslation('list');
  return (
    <Modal opened onClose={onClose} title={t('showAll')} centered>
      <Text fw={600}>{t('showAllWarning')}</Text>
      <Text c="dimmed" mt={4}>
        {t('showAllDetail', { count: total })}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button onClick={onConfirm}>{t('showAll')}</Button>
      </Group>
    </Modal>
  );
}

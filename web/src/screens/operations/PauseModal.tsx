import { Button, Group, Modal, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pauseEngine } from '~/api/queries/operations';
import { useOperation } from '~/monitoring/useOperation';
import { useReturnFocus } from '~/ui/useReturnFocus';

/** The server's limit. */
const MAX_REASON_LENGTH = 500;

interface Props {
  engine: string;
  name: string;
  onClose: () => void;
}

/** Explains what a pause does, takes an optional reason and pauses the engine. Closes on success; a failure shows a toast and leaves it open. */
export function PauseModal({ engine, name, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation('operations');
  const common = useTranslation('common').t;
  const [reason, setReason] = useState('');
  const pause = useOperation(() => pauseEngine(engine, reason), t('pause.done', { engine: name }), onClose);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('pause.title', { engine: name })}
      closeButtonProps={{ 'aria-label': common('close') }}
      centered
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          pause.mutate();
        }}
      >
        <p>{t('pause.text', { engine: name })}</p>
        <Textarea
          label={t('pause.reason')}
          value={reason}
          maxLength={MAX_REASON_LENGTH}
          autosize
          minRows={2}
          data-autofocus
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            {t('pause.cancel')}
          </Button>
          <Button type="submit" loading={pause.isPending}>
            {t('pause.confirm', { engine: name })}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

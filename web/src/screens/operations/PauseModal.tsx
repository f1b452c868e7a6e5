import { Button, Group, Modal, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pauseEngine } from '~/api/queries/operations';
import { useReturnFocus } from '~/ui/useReturnFocus';
import { useAct } from './useAct';

/** As much as the server keeps. */
const LONGEST_REASON = 500;

interface Props {
  engine: string;
  name: string;
  onClose: () => void;
}

/** Says what a pause means, and asks why. */
export function PauseModal({ engine, name, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation('operations');
  const common = useTranslation('common').t;
  const [reason, setReason] = useState('');
  const pause = useAct(() => pauseEngine(engine, reason), t('pause.done', { engine: name }), onClose);
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
          maxLength={LONGEST_REASON}
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

import { Button, TextInput } from '@mantine/core';
import { IconAlertOctagon } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { letEverythingGo, STOP_GO, type StopGoBrand } from '~/api/queries/stopGo';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { toast } from '~/ui/toast';

/** The red button that lets all ads of a brand run, after its name was typed. */
export function Emergency({ brand }: { brand: Pick<StopGoBrand, 'ID' | 'brandLabel'> }) {
  const { t } = useTranslation('stopGo');
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const close = () => {
    setOpen(false);
    setTyped('');
  };
  const name = brand.brandLabel;
  return (
    <>
      <Button color="red.9" leftSection={<IconAlertOctagon size={16} />} onClick={() => setOpen(true)}>
        {t('emergency')}
      </Button>
      {isOpen && (
        <ConfirmModal
          danger
          title={t('emergencyOf', { brand: name })}
          text={t('emergencyText')}
          confirm={t('emergencyConfirm')}
          failed={t('emergencyFailed')}
          act={async () => {
            const { lists, lanes } = await letEverythingGo(brand.ID, typed);
            toast.success(t('emergencyDone', { lists, lanes }));
          }}
          changes={[STOP_GO]}
          onClose={close}
        >
          <TextInput
            mt="md"
            label={t('emergencyType', { brand: name })}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            autoComplete="off"
          />
        </ConfirmModal>
      )}
    </>
  );
}

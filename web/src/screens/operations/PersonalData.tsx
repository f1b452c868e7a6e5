import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload, IconEraser } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Erasure, erasePersonalData, personalDataAddress } from '~/api/queries/privacy';
import { looksLikeEmail } from '~/lib/validation';
import { ConfirmModal } from '~/ui/ConfirmModal';

/** What is stored about an e-mail address of an advertiser: exported as a file, or erased after a confirmation. */
export function PersonalData() {
  const { t } = useTranslation('operations');
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState(false);
  const [erased, setErased] = useState<Erasure & { address: string }>();
  const address = typed.trim().toLowerCase();
  const isKnown = looksLikeEmail(address);
  return (
    <Stack gap="sm">
      <Text size="sm">{t('privacy.hint')}</Text>
      <TextInput
        type="email"
        label={t('privacy.address')}
        maw={420}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Group gap="xs">
        <Button
          component="a"
          variant="default"
          leftSection={<IconDownload size={16} />}
          download
          {...(isKnown ? { href: personalDataAddress(address) } : { 'data-disabled': true, 'aria-disabled': true })}
        >
          {t('privacy.export')}
        </Button>
        <Button
          color="red"
          variant="light"
          leftSection={<IconEraser size={16} />}
          disabled={!isKnown}
          onClick={() => setAsked(true)}
        >
          {t('privacy.erase')}
        </Button>
      </Group>
      {erased && (
        <Text size="sm" role="status">
          {t('privacy.erased', { ...erased })}
        </Text>
      )}
      {asked && (
        <ConfirmModal
          danger
          title={t('privacy.eraseTitle', { address })}
          text={t('privacy.eraseText')}
          confirm={t('privacy.erase')}
          sure={t('privacy.sure')}
          act={async () => setErased({ ...(await erasePersonalData(address)), address })}
          done={t('privacy.done')}
          onClose={() => setAsked(false)}
        />
      )}
    </Stack>
  );
}

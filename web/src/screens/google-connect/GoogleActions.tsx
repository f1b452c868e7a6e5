import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCloudDownload, IconLink, IconLinkPlus, IconMailForward, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type GoogleItem, googleKey, purgeItem } from '~/api/queries/google';
import { RowMenu } from '~/ui/buttons';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { lazyPart } from '~/ui/lazyPart';

const LinkModal = lazyPart(() => import('./LinkModal').then((module) => module.LinkModal));
const KeywordsModal = lazyPart(() => import('./KeywordsModal').then((module) => module.KeywordsModal));
const RetrieveModal = lazyPart(() => import('./RetrieveModal').then((module) => module.RetrieveModal));

/** The button that opens the form for a new account. */
export function LinkAccountButton() {
  const { t } = useTranslation('google');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconLinkPlus size={16} />} onClick={open}>
        {t('linkAccount')}
      </Button>
      {opened && <LinkModal onClose={close} />}
    </>
  );
}

/** The menu of a row: maps keywords, reads their data, and deletes them. */
export function GoogleMenu({ row }: { row: GoogleItem }) {
  const { t } = useTranslation('google');
  const [open, setOpen] = useState<'map' | 'retrieve' | 'purge'>();
  const close = () => setOpen(undefined);
  const id = Number(row.id);
  const { activated, available } = row.keywords;
  return (
    <>
      <RowMenu label={t('menu', { name: row.brandLabel ?? row.customerID })}>
        <Menu.Item leftSection={<IconMailForward size={16} />} disabled>
          {t('renew')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLink size={16} />} onClick={() => setOpen('map')}>
          {t('linkDatas', { count: available - activated })}
        </Menu.Item>
        <Menu.Item leftSection={<IconCloudDownload size={16} />} onClick={() => setOpen('retrieve')}>
          {t('getDatas', { count: activated })}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} />} c="var(--bad)" onClick={() => setOpen('purge')}>
          {t('purgeDatas')}
        </Menu.Item>
      </RowMenu>
      {open === 'map' && <KeywordsModal id={id} onClose={close} />}
      {open === 'retrieve' && <RetrieveModal id={id} onClose={close} />}
      {open === 'purge' && <PurgeModal id={id} onClose={close} />}
    </>
  );
}

/** Asks before all data of an account are deleted. */
export function PurgeModal({ id, onClose }: { id: number; onClose(): void }) {
  const { t } = useTranslation('google');
  return (
    <ConfirmModal
      danger
      title={t('statistics.purgeTitle')}
      text={t('statistics.purgeAllText')}
      confirm={t('purgeDatas')}
      act={() => purgeItem(id)}
      done={t('purged')}
      failed={t('purgeFailed')}
      changes={[googleKey]}
      onClose={onClose}
    />
  );
}

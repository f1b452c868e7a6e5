import { Button, Menu, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconHeartHandshake,
  IconHistory,
  IconPencil,
  IconPlus,
  IconRosetteDiscountCheck,
  IconTrash,
  IconWand,
  IconWorldCheck,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type BrandRow, deleteBrand } from '~/api/queries/brands';
import { RowMenu } from '~/ui/buttons';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { unlessChanged } from '~/ui/conflict';
import { lazyPart } from '~/ui/lazyPart';
import { offerUndo } from '~/ui/undo';
import styles from './Brands.module.css';
import { CHANGED_BY_BRANDS } from './changedByBrands';

const BrandModal = lazyPart(() => import('./BrandForm').then((module) => module.BrandModal));
const AutoMatch = lazyPart(() => import('./AutoMatch').then((module) => module.AutoMatch));
const Partners = lazyPart(() => import('./Partners').then((module) => module.Partners));
const Trademarks = lazyPart(() => import('./Trademarks').then((module) => module.Trademarks));
const TrailDrawer = lazyPart(() => import('~/monitoring/history/TrailDrawer').then((module) => module.TrailDrawer));
const OfficialDomains = lazyPart(() => import('./OfficialDomains').then((module) => module.OfficialDomains));

/** The button that opens the form for a new brand. Checks no rights: render it only for users who may create brands. */
export function CreateBrand() {
  const { t } = useTranslation('brands');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {t('create')}
      </Button>
      {opened && <BrandModal brand={null} onClose={close} />}
    </>
  );
}

/** The label as a button that opens the brand's form. Checks no rights. */
export function BrandLabel({ row }: { row: BrandRow }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <UnstyledButton className={styles.label} title={row.label} onClick={open}>
        {row.label}
      </UnstyledButton>
      {opened && <BrandModal brand={row} onClose={close} />}
    </>
  );
}

/**
 * The menu of a brand: its form, matching its terms (disabled without a pattern), its official domains, its partners, its trademarks, its trail, and its
 * deletion after a confirmation, which is left out while it has an enabled term. Checks no rights.
 */
export function BrandMenu({ row }: { row: BrandRow }) {
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const [open, setOpen] = useState<
    'update' | 'match' | 'domains' | 'partners' | 'trademarks' | 'trail' | 'delete' | null
  >(null);
  const close = () => setOpen(null);
  return (
    <>
      <RowMenu label={t('menu', { name: row.label })}>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('update')}>
          {t('update')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconWand size={16} />}
          disabled={row.autoMatch === ''}
          onClick={() => setOpen('match')}
        >
          {t('match.entry')}
        </Menu.Item>
        <Menu.Item leftSection={<IconWorldCheck size={16} />} onClick={() => setOpen('domains')}>
          {t('domains.open')}
        </Menu.Item>
        <Menu.Item leftSection={<IconHeartHandshake size={16} />} onClick={() => setOpen('partners')}>
          {t('partners.open')}
        </Menu.Item>
        <Menu.Item leftSection={<IconRosetteDiscountCheck size={16} />} onClick={() => setOpen('trademarks')}>
          {t('trademarks.open')}
        </Menu.Item>
        <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => setOpen('trail')}>
          {common('trail')}
        </Menu.Item>
        {!row.isEnabled && (
          <Menu.Item leftSection={<IconTrash size={16} />} c="var(--bad)" onClick={() => setOpen('delete')}>
            {t('delete')}
          </Menu.Item>
        )}
      </RowMenu>
      {open === 'update' && <BrandModal brand={row} onClose={close} />}
      {open === 'match' && <AutoMatch brand={row} onClose={close} />}
      {open === 'domains' && <OfficialDomains brand={row} onClose={close} />}
      {open === 'partners' && <Partners brand={row} onClose={close} />}
      {open === 'trademarks' && <Trademarks brand={row} onClose={close} />}
      {open === 'trail' && <TrailDrawer model="Brand" id={Number(row.id)} name={row.label} onClose={close} />}
      {open === 'delete' && <DeleteBrand row={row} onClose={close} />}
    </>
  );
}

/** Deletes a brand after a confirmation. Checks no rights. */
function DeleteBrand({ row, onClose }: { row: BrandRow; onClose(): void }) {
  const { t } = useTranslation('brands');
  const [seen] = useState(row.asOf);
  return (
    <ConfirmModal
      danger
      title={t('deleteTitle', { name: row.label })}
      text={t('confirm.delete')}
      confirm={t('delete')}
      act={async () => {
        const operation = await unlessChanged(seen, (known) => deleteBrand(Number(row.id), known));
        offerUndo({ operation, text: t('did.deleted', { name: row.label }), changes: CHANGED_BY_BRANDS });
      }}
      done={t('deleted')}
      changes={CHANGED_BY_BRANDS}
      onClose={onClose}
    />
  );
}

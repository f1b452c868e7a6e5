import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHistory, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TagRow } from '~/api/queries/tagList';
import { tagWithBrand } from '~/api/queries/tags';
import { DeletedButton } from '~/monitoring/history/DeletedButton';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import { RowMenu } from '~/ui/buttons';
import { lazyPart } from '~/ui/lazyPart';
import styles from './Tags.module.css';

const TagFormModal = lazyPart(() => import('./TagModals').then((module) => module.TagFormModal));
const TrailDrawer = lazyPart(() => import('~/monitoring/history/TrailDrawer').then((module) => module.TrailDrawer));
const DeleteTag = lazyPart(() => import('./TagModals').then((module) => module.DeleteTag));

/** The buttons that open deleted tags and the form for a new one. Checks no rights: render them only for users who may create and delete tags. */
export function TagsActions() {
  const { t } = useTranslation('tags');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <DeletedButton model="Category" changes={NAMING_TAGS} />
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {t('create')}
      </Button>
      {opened && <TagFormModal onClose={close} />}
    </>
  );
}

/** What deleting the tag does to what has it and to the tags below it, in sentences; also that it has no effect, or that the uses are not known. */
function useDeletion({ scope, uses, children }: TagRow): string {
  const { t } = useTranslation('tags');
  const sentences = [
    uses === undefined && t('delete.uncounted'),
    uses !== undefined && uses > 0 && t(`delete.uses.${scope}`, { count: uses }),
    children.length > 0 && t('delete.children', { count: children.length }),
  ].filter(Boolean);
  return sentences.length > 0 ? sentences.join(' ') : t('delete.unused');
}

/** The menu of a tag: its form, its trail, and its deletion after a confirmation. Checks no rights: render it only where this user may change the tag. */
export function TagMenu({ row }: { row: TagRow }) {
  const { t } = useTranslation('tags');
  const [open, setOpen] = useState<'update' | 'trail' | 'delete' | null>(null);
  const common = useTranslation('common').t;
  const close = () => setOpen(null);
  const deletion = useDeletion(row);
  return (
    <>
      <RowMenu label={t('menu.of', { tag: tagWithBrand(row) })}>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('update')}>
          <span className="sentence">{t('menu.update')}</span>
        </Menu.Item>
        <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => setOpen('trail')}>
          <span className="sentence">{common('trail')}</span>
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash size={16} color="var(--bad)" />} onClick={() => setOpen('delete')}>
          <span className={styles.delete}>
            <span className="sentence">{t('menu.delete')}</span>
          </span>
          <span className={styles.effect}>{deletion}</span>
        </Menu.Item>
      </RowMenu>
      {open === 'update' && <TagFormModal stored={row} onClose={close} />}
      {open === 'trail' && (
        <TrailDrawer model="Category" id={Number(row.id)} name={tagWithBrand(row)} onClose={close} />
      )}
      {open === 'delete' && <DeleteTag row={row} effect={deletion} onClose={close} />}
    </>
  );
}

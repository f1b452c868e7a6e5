import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteTag, type TagRow, tagsKey, tagWithBrand } from '~/api/queries/tags';
import { NAMING_TAGS, TagForm } from '~/monitoring/tags/TagForm';
import { RowMenu } from '~/ui/buttons';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { ModalFrame } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import styles from './Tags.module.css';

export function CreateTag() {
  const { t } = useTranslation('tags');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {t('create')}
      </Button>
      {opened && (
        <ModalFrame title={t('createTitle')} onClose={close}>
          <TagForm
            submitLabel={t('form.create')}
            onCancel={close}
            onSaved={() => {
              toast.success(t('created'));
              close();
            }}
          />
        </ModalFrame>
      )}
    </>
  );
}

/** What a tag's deletion does to others, in sentences. */
function useDeletion({ scope, uses, children }: TagRow): string {
  const { t } = useTranslation('tags');
  const sentences = [
    uses === undefined && t('delete.uncounted'),
    uses !== undefined && uses > 0 && t(`delete.uses.${scope}`, { count: uses }),
    children.length > 0 && t('delete.children', { count: children.length }),
  ].filter(Boolean);
  return sentences.length > 0 ? sentences.join(' ') : t('delete.unused');
}

/** The menu of a tag that this user may change. */
export function TagMenu({ row }: { row: TagRow }) {
  const { t } = useTranslation('tags');
  const queries = useQueryClient();
  const [open, setOpen] = useState<'update' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const tag = tagWithBrand(row);
  const deletion = useDeletion(row);
  return (
    <>
      <RowMenu label={t('menu.of', { tag })}>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('update')}>
          <span className="sentence">{t('menu.update')}</span>
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash size={16} color="var(--bad)" />} onClick={() => setOpen('delete')}>
          <span className={styles.delete}>
            <span className="sentence">{t('menu.delete')}</span>
          </span>
          <span className={styles.effect}>{deletion}</span>
        </Menu.Item>
      </RowMenu>
      {open === 'update' && (
        <ModalFrame title={t('updateTitle', { tag })} onClose={close}>
          <TagForm
            stored={row}
            submitLabel={t('form.update')}
            onCancel={close}
            onSaved={() => {
              toast.success(t('updated'));
              close();
            }}
          />
        </ModalFrame>
      )}
      {open === 'delete' && (
        <ConfirmModal
          danger
          title={t('delete.title', { tag })}
          text={`${deletion} ${t('delete.final')}`}
          confirm={t('delete.confirm')}
          act={async () => {
            await deleteTag(row.id);
            for (const queryKey of NAMING_TAGS) void queries.invalidateQueries({ queryKey });
          }}
          done={t('deleted')}
          changes={tagsKey}
          onClose={close}
        />
      )}
    </>
  );
}

import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deletedKey } from '~/api/queries/history';
import { deleteTag, type TagRow } from '~/api/queries/tagList';
import { tagWithBrand } from '~/api/queries/tags';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import { TagForm } from '~/monitoring/tags/TagForm';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { unlessChanged } from '~/ui/conflict';
import { ModalFrame } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import { offerUndo } from '~/ui/undo';

/** A modal with the form of the stored tag, or of a new one; says in a toast that it was saved, and closes. Checks no rights. */
export function TagFormModal({ stored, onClose }: { stored?: TagRow; onClose(): void }) {
  const { t } = useTranslation('tags');
  return (
    <ModalFrame title={stored ? t('updateTitle', { tag: tagWithBrand(stored) }) : t('createTitle')} onClose={onClose}>
      <TagForm
        {...(stored && { stored })}
        submitLabel={stored ? t('form.update') : t('form.create')}
        onCancel={onClose}
        onSaved={() => {
          toast.success(stored ? t('updated') : t('created'));
          onClose();
        }}
      />
    </ModalFrame>
  );
}

/** The keys of queries that name tags, deleted ones among them. */
const CHANGED_BY_DELETION = [deletedKey, ...NAMING_TAGS];

interface DeleteTagProps {
  row: TagRow;
  /** What the deletion does to others. */
  effect: string;
  onClose(): void;
}

/** Deletes a tag after a confirmation that also says its `effect`. All lists that name tags are refreshed, also after a failure. Checks no rights. */
export function DeleteTag({ row, effect, onClose }: DeleteTagProps) {
  const { t } = useTranslation('tags');
  const [seen] = useState(row.asOf);
  return (
    <ConfirmModal
      danger
      title={t('delete.title', { tag: tagWithBrand(row) })}
      text={`${effect} ${t('delete.final')}`}
      confirm={t('delete.confirm')}
      act={async () => {
        const operation = await unlessChanged(seen, (known) => deleteTag(row.id, known));
        offerUndo({ operation, text: t('delete.did', { name: tagWithBrand(row) }), changes: CHANGED_BY_DELETION });
      }}
      done={t('deleted')}
      changes={CHANGED_BY_DELETION}
      onClose={onClose}
    />
  );
}

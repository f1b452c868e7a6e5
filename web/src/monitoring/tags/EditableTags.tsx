import { ActionIcon, Button } from '@mantine/core';
import { IconTag, IconTagPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '~/ui/lazyPart';
import type { Cell } from '../cells';
import styles from './EditableTags.module.css';
import { Tags } from './Tags';
import type { Taggable, TaggedRow } from './taggable';

const TagModal = lazyPart(() => import('./TagModal').then((module) => module.TagModal), {
  texts: ['monitoring', 'list'],
});

interface Props<Row extends TaggedRow> {
  row: Row;
  taggable: Taggable<Row>;
}

/** The tags of a row, and the way to change them. */
export function EditableTags<Row extends TaggedRow>({ row, taggable }: Props<Row>) {
  const { t } = useTranslation('monitoring');
  const [open, setOpen] = useState(false);
  return (
    <span className={styles.tags}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={26}
        aria-label={t('tags.edit', { name: taggable.nameOf(row) })}
        onClick={() => setOpen(true)}
      >
        <IconTagPlus size={15} />
      </ActionIcon>
      <Tags row={row} />
      {open && <TagModal rows={[row]} taggable={taggable} onClose={() => setOpen(false)} />}
    </span>
  );
}

/** A cell with the tags of its row. */
export const tagsCell =
  <Row extends TaggedRow>(taggable: Taggable<Row>) =>
  ({ data }: Cell<Row>) =>
    data && <EditableTags row={data} taggable={taggable} />;

/** Changes the tags of all selected rows. */
export function BulkTags<Row extends TaggedRow>({
  rows,
  taggable,
  onDone,
}: {
  rows: readonly Row[];
  taggable: Taggable<Row>;
  onDone(): void;
}) {
  const { t } = useTranslation('monitoring');
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconTag size={14} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('column.tags')}
      </Button>
      {open && (
        <TagModal
          rows={rows}
          taggable={taggable}
          onClose={(changed) => {
            setOpen(false);
            if (changed) onDone();
          }}
        />
      )}
    </>
  );
}

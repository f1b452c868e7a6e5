import { ActionIcon, Button } from '@mantine/core';
import { IconTag, IconTagPlus } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Tag, tagWithBrand } from '~/api/queries/tags';
import { lazyPart } from '~/ui/lazyPart';
import type { Cell } from '../cells';
import type { Taggable, TaggedRow } from './taggable';
import styles from './tags.module.css';

const TagModal = lazyPart(() => import('./TagModal').then((module) => module.TagModal), {
  texts: ['monitoring', 'list', 'tags'],
});

/** The tags of a row. In a table: as many as fit on one line, then the number of hidden ones. */
export function Tags({ row: { categories } }: { row: { categories: readonly Tag[] } }) {
  const line = useRef<HTMLSpanElement>(null);
  const [hidden, setHidden] = useState(0);
  useEffect(() => {
    const element = line.current;
    if (!element || categories.length < 2) return setHidden(0);
    const observer = new ResizeObserver(() => {
      const { bottom } = element.getBoundingClientRect();
      setHidden([...element.children].filter((tag) => tag.getBoundingClientRect().top >= bottom).length);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [categories]);
  return (
    <span className={styles.tags} title={categories.map(tagWithBrand).join(', ')}>
      <span ref={line} className={styles.line}>
        {categories.map((tag) => (
          <span key={tag.id} className={styles.tag}>
            {tag.label}
          </span>
        ))}
      </span>
      {hidden > 0 && (
        <span className={styles.more} aria-hidden>
          +{hidden}
        </span>
      )}
    </span>
  );
}

interface EditableTagsProps<Row extends TaggedRow> {
  row: Row;
  taggable: Taggable<Row>;
}

/** The tags of a row and a button that opens them for editing in a modal. */
export function EditableTags<Row extends TaggedRow>({ row, taggable }: EditableTagsProps<Row>) {
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

/** Makes the cell renderer of a list's tags column. Call it once per list: each call makes a new component. */
export const tagsCell =
  <Row extends TaggedRow>(taggable: Taggable<Row>) =>
  ({ data }: Cell<Row>) =>
    data && <EditableTags row={data} taggable={taggable} />;

interface BulkTagsProps<Row extends TaggedRow> {
  rows: readonly Row[];
  taggable: Taggable<Row>;
  onDone(): void;
}

/** A button that opens the tags of all selected rows for editing; `onDone` is called on closing if any changed. */
export function BulkTags<Row extends TaggedRow>({ rows, taggable, onDone }: BulkTagsProps<Row>) {
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

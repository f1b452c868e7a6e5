import { Button } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CaseRow, reloadCases } from '~/api/queries/actions';
import { tagWithBrand } from '~/api/queries/tags';
import { place } from '~/list/cards/place';
import { taggableCases } from '~/monitoring/cases/taggableCases';
import { lazyPart } from '~/ui/lazyPart';
import styles from './Action.module.css';

const TagModal = lazyPart(() => import('~/monitoring/tags/TagModal').then((module) => module.TagModal), {
  texts: ['monitoring', 'list', 'tags'],
});

/** The tags of a case, with a button that edits them. */
export function CaseTags({ row }: { row: CaseRow }) {
  const { t } = useTranslation('actions');
  const queries = useQueryClient();
  const [editing, setEditing] = useState(false);
  const close = (changed: boolean) => {
    setEditing(false);
    if (!changed) return;
    place.clear();
    // An official tag sets the case to ignored.
    void reloadCases(queries);
  };
  return (
    <section className={styles.panel} aria-labelledby="case-tags">
      <div className={styles.head}>
        <h2 id="case-tags" className={styles.heading}>
          {t('page.tags')}
        </h2>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconTag size={15} aria-hidden />}
          onClick={() => setEditing(true)}
        >
          {t('page.editTags')}
        </Button>
      </div>
      {row.categories.length === 0 && <p className={styles.dim}>{t('page.noTags')}</p>}
      <ul className={styles.tags}>
        {row.categories.map((tag) => (
          <li key={tag.id}>{tagWithBrand(tag)}</li>
        ))}
      </ul>
      {editing && <TagModal rows={[row]} taggable={taggableCases} onClose={close} />}
    </section>
  );
}

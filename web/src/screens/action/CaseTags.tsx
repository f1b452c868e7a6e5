import { ActionIcon } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type CaseRow, reloadCases } from '~/api/queries/actions';
import { caseTagsQuery } from '~/api/queries/caseDetails';
import { tagWithBrand } from '~/api/queries/tags';
import { place } from '~/list/cards/place';
import { taggableCases } from '~/monitoring/cases/taggableCases';
import { Hint } from '~/ui/buttons';
import { lazyPart } from '~/ui/lazyPart';
import styles from './Action.module.css';
import type { Opened } from './acts';

const TagModal = lazyPart(() => import('~/monitoring/tags/TagModal').then((module) => module.TagModal), {
  texts: ['monitoring', 'list', 'tags'],
});

interface Props {
  row: CaseRow;
  onOpen(opened: Opened): void;
}

/** The tags of a case, with a button that edits them. */
export function CaseTags({ row, onOpen }: Props) {
  const { t } = useTranslation(['action', 'actions']);
  const { data, isError } = useQuery(caseTagsQuery(row));
  const tags = data ?? row.categories.map((tag) => ({ id: tag.id, label: tagWithBrand(tag) }));
  const edit = `${t('actions:page.editTags')} (t)`;
  return (
    <section className={styles.panel} aria-labelledby="case-tags">
      <div className={styles.head}>
        <h2 id="case-tags" className={styles.heading}>
          {t('actions:page.tags')}
        </h2>
        <Hint label={edit}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('actions:page.editTags')}
            aria-keyshortcuts="t"
            onClick={() => onOpen('tags')}
          >
            <IconPencil size={17} />
          </ActionIcon>
        </Hint>
      </div>
      {isError && <p className={styles.dim}>{t('tags.failed')}</p>}
      <div className={styles.tagLine}>
        {tags.length === 0 ? (
          <span className={styles.dim}>{t('actions:page.noTags')}</span>
        ) : (
          <ul className={styles.tags}>
            {tags.map(({ id, label }) => (
              <li key={id}>{label}</li>
            ))}
          </ul>
        )}
        <button type="button" className={styles.link} onClick={() => onOpen('tags')}>
          + {t('tags.add')}
        </button>
      </div>
    </section>
  );
}

/** Edits the tags of a case. */
export function CaseTagModal({ row, onClose }: { row: CaseRow; onClose(): void }) {
  const queries = useQueryClient();
  const close = (changed: boolean) => {
    onClose();
    if (!changed) return;
    place.clear();
    void queries.invalidateQueries({ queryKey: caseTagsQuery(row).queryKey });
    // An official tag sets the case to ignored.
    void reloadCases(queries);
  };
  return <TagModal rows={[row]} taggable={taggableCases} onClose={close} />;
}

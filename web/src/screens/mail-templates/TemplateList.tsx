import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MailTemplate } from '~/api/queries/mailTemplates';
import { useFormats } from '~/ui/useFormats';
import styles from './MailTemplates.module.css';

/** The kinds of mails that templates are for, in the order of the list. */
export const TYPES = ['notification', 'reminder', 'answer'] as const;

interface Props {
  templates: readonly MailTemplate[];
  /** The first version of the one that is shown. */
  chosen: number | undefined;
  onChoose(firstId: number): void;
}

/** The templates by kind, each with what came of its mails; a search leaves those whose name or text has the words. */
export function TemplateList({ templates, chosen, onChoose }: Props) {
  const { t } = useTranslation('mailTemplates');
  const [search, setSearch] = useState('');
  const words = search.trim().toLowerCase();
  const found = templates.filter(({ label, subject, body }) =>
    [label, subject, body].some((text) => text.toLowerCase().includes(words)),
  );
  return (
    <nav className={styles.card} aria-label={t('list')}>
      <TextInput
        aria-label={t('search')}
        placeholder={t('search')}
        leftSection={<IconSearch size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <div className={styles.groups}>
        {TYPES.map((type) => {
          const ofType = found.filter((template) => template.type === type);
          return (
            ofType.length > 0 && (
              <section key={type} aria-label={t(`type.${type}`)}>
                <h2 className={styles.group}>{t(`type.${type}`)}</h2>
                {ofType.map((template) => (
                  <TemplateItem
                    key={template.id}
                    template={template}
                    isChosen={template.firstId === chosen}
                    onChoose={onChoose}
                  />
                ))}
              </section>
            )
          );
        })}
        {found.length === 0 && <p className={styles.dim}>{t('nothingFound')}</p>}
      </div>
    </nav>
  );
}

interface ItemProps {
  template: MailTemplate;
  isChosen: boolean;
  onChoose(firstId: number): void;
}

/** A template of the list. */
function TemplateItem({ template, isChosen, onChoose }: ItemProps) {
  const { t } = useTranslation('mailTemplates');
  const fmt = useFormats();
  const { label, language, version, sent, accepted, firstId, brandLabel } = template;
  return (
    <button
      type="button"
      className={styles.item}
      aria-current={isChosen || undefined}
      onClick={() => onChoose(firstId)}
    >
      <span className={styles.itemHead}>
        <span className={styles.itemLabel}>{label}</span>
        <span className={styles.tag}>{language.toUpperCase()}</span>
        <span className={styles.dim}>{t('version', { version })}</span>
      </span>
      <span className={styles.dim}>
        {[brandLabel, t('sent', { count: sent }), sent > 0 && t('acceptedShare', { share: fmt.share(accepted / sent) })]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </button>
  );
}

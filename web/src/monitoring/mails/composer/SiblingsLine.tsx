import { Checkbox } from '@mantine/core';
import { IconCards } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { MailLanguage, Sibling } from '~/api/queries/caseMails';
import { i18next, loadTexts } from '~/i18n';
import { formatsOf } from '~/lib/formats';
import styles from './composer.module.css';

/** The sentence of a mail that names other cases of the same advertiser, in the language of the mail. Rejects when its texts cannot be loaded. */
export async function siblingsText(siblings: readonly Sibling[], language: MailLanguage): Promise<string> {
  await loadTexts(['mailsOfCases', 'market'], language);
  const t = i18next.getFixedT(language, 'mailsOfCases');
  const fmt = formatsOf(language);
  const lines = siblings.map(({ domain, country, engine }) => {
    const name = i18next.getFixedT(language, 'market')(`engine.${engine}`, { defaultValue: engine });
    return `- ${domain} (${fmt.country(country)}, ${name})`;
  });
  return [t('siblings.inMail', { count: siblings.length }), ...lines].join('\n');
}

interface Props {
  siblings: readonly Sibling[];
  named: boolean;
  onName(named: boolean): void;
}

/** Says that more cases of this advertiser wait for a first mail, and offers to name them in this one. Shows nothing without any. */
export function SiblingsLine({ siblings, named, onName }: Props) {
  const { t } = useTranslation('mailsOfCases');
  if (siblings.length === 0) return null;
  return (
    <div className={styles.siblings}>
      <IconCards size={17} aria-hidden />
      <p>{t('siblings.wait', { count: siblings.length })}</p>
      <Checkbox
        size="sm"
        label={t('siblings.name')}
        checked={named}
        onChange={(event) => onName(event.currentTarget.checked)}
      />
    </div>
  );
}

import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { findCases, type InboundMail } from '~/api/queries/inboundMails';
import { AsyncSelect, type Chosen } from '~/ui/form/AsyncSelect';
import styles from './UnmatchedMails.module.css';
import type { Filing } from './useFiling';

const search = async (typed: string, signal: AbortSignal): Promise<Chosen[]> =>
  (await findCases(typed.trim(), signal)).map(({ ID, domain, brand, country, engine }) => ({
    value: ID,
    label: [domain, brand, country, engine].filter(Boolean).join(' · '),
  }));

/** A search for a case that is not suggested, and a button that files the mail in the chosen one. */
export function OtherCase({ mail, filing }: { mail: InboundMail; filing: Filing }) {
  const { t } = useTranslation('unmatchedMails');
  const [other, setOther] = useState<Chosen | null>(null);
  return (
    <div className={styles.other}>
      <AsyncSelect label={t('other')} description={t('otherHint')} search={search} value={other} onChange={setOther} />
      <Button
        variant="default"
        disabled={!other || filing.isBusy}
        onClick={() => other && filing.attach(mail, Number(other.value))}
      >
        {t('fileChosen')}
      </Button>
    </div>
  );
}

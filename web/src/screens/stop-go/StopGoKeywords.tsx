import { Button, Loader, Select } from '@mantine/core';
import { IconPlus, IconTrafficLights } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { searchCompanies } from '~/api/queries/companies';
import { STOP_GO, stopGoKeywordsQuery } from '~/api/queries/stopGo';
import { ExportLink } from '~/list/ExportLink';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { AddKeyword } from './AddKeyword';
import { KeywordTable } from './KeywordTable';
import styles from './StopGo.module.css';
import { StrandedBar } from './StrandedBar';

/** The keywords with Stop and Go of all brands, or of those of one company account. */
export function StopGoKeywords() {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const [company, setCompany] = useState<string | null>(null);
  const [text, setText] = useState('');
  const [isAdding, setAdding] = useState(false);
  const companies = useQuery({
    queryKey: [...STOP_GO, 'companyChoices', text],
    queryFn: ({ signal }) => searchCompanies(text, signal),
    placeholderData: (before) => before,
  });
  const of = company === null ? {} : { companyAccountID: Number(company) };
  const { data: keywords, isError, refetch } = useQuery(stopGoKeywordsQuery(of));
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.stopGoKeywords')}
        </h1>
        <Select
          className={styles.push}
          aria-label={t('company')}
          placeholder={t('company')}
          searchable
          clearable
          data={(companies.data ?? []).map(({ value, label }) => ({ value: String(value), label }))}
          value={company}
          onChange={setCompany}
          onSearchChange={setText}
          filter={({ options }) => options}
        />
        <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
          {t('addKeyword')}
        </Button>
        <span className={styles.files}>
          <ExportLink href="/api/stop-go/keyword/export" name="stop-go-keywords" compact />
        </span>
      </header>
      <StrandedBar />
      {!keywords && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {keywords?.length === 0 && (
        <EmptyState icon={<IconTrafficLights size={26} />} title={t('noKeywords')} text={t('noKeywordsText')} />
      )}
      {keywords && keywords.length > 0 && <KeywordTable keywords={keywords} />}
      {isAdding && <AddKeyword onClose={() => setAdding(false)} />}
    </div>
  );
}

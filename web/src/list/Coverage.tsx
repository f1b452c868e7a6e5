import { Popover, UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Coverage as Captures, coverageQuery } from '~/api/queries/figures';
import type { ListSearch } from '~/lib/listSearch';
import { useCountries, useFormats } from '~/ui/useFormats';
import styles from './Coverage.module.css';

/**
 * How many of the captures planned under these filters were valid, since a missing capture looks the same as a missing ad; a click shows
 * what became of the others, if any. Nothing until it is loaded.
 */
export function Coverage({ filters }: { filters: ListSearch['filters'] }) {
  const { t } = useTranslation('list');
  const fmt = useFormats();
  const { data } = useQuery({ ...coverageQuery(filters), placeholderData: keepPreviousData });
  if (!data) return null;
  const { valid, planned } = data.data;
  if (planned === 0) return <span className={styles.coverage}>{t('coverage.none')}</span>;
  const said = (
    <>
      <strong>{t('coverage.of', { valid: fmt.count(valid), planned: fmt.count(planned) })}</strong>{' '}
      {t('coverage.captures', { count: planned })}
    </>
  );
  if (valid === planned) return <span className={styles.coverage}>{said}</span>;
  const isFew = data.meta.places.length + data.meta.terms.length > 0;
  return (
    <Popover position="bottom-start" trapFocus>
      <Popover.Target>
        <UnstyledButton className={styles.coverage} title={t('coverage.title')}>
          {said}
          {isFew && <span className={styles.few}> · {t('coverage.few')}</span>}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <CoverageDetails captures={data} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** The places and terms with few valid captures, and how many captures are doubtful, failed, missed or pending. */
function CoverageDetails({ captures: { data, meta } }: { captures: Captures }) {
  const { t } = useTranslation(['list', 'market']);
  const fmt = useFormats();
  const countries = useCountries();
  const place = ({ engine, country }: { engine?: string | null | undefined; country?: string | null | undefined }) =>
    [engine && t(`market:engine.${engine}`, { defaultValue: engine }), country && countries.name(country)]
      .filter(Boolean)
      .join(' · ');
  const of = ({ valid, planned }: { valid: number; planned: number }) =>
    t('list:coverage.of', { valid: fmt.count(valid), planned: fmt.count(planned) });
  const lost = (['doubtful', 'failed', 'missed', 'pending'] as const).filter((state) => data[state] > 0);
  return (
    <section className={styles.where} aria-label={t('list:coverage.title')}>
      {meta.places.length > 0 && (
        <>
          <h3>{t('list:coverage.places')}</h3>
          <dl>
            {meta.places.map((few) => (
              <FewRow key={place(few)} name={place(few) || '–'} figure={of(few)} />
            ))}
          </dl>
        </>
      )}
      {meta.terms.length > 0 && (
        <>
          <h3>{t('list:coverage.terms')}</h3>
          <dl>
            {meta.terms.map((few) => (
              <FewRow key={few.termId} name={`${few.content} (${place(few)})`} figure={of(few)} />
            ))}
          </dl>
        </>
      )}
      <p className={styles.rest}>
        {lost.map((state) => t(`list:coverage.state.${state}`, { count: data[state] })).join(', ')}
      </p>
    </section>
  );
}

const FewRow = ({ name, figure }: { name: string; figure: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{figure}</dd>
  </>
);

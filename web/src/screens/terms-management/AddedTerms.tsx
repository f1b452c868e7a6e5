import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type NewTermsPlan, type NewTermsToPlan, newTermsCostQuery } from '~/api/queries/planCost';
import { asLanguage } from '~/i18n/language';
import { AUTO } from '~/lib/frequency';
import { FIRST_PAGE } from '~/lib/listSearch';
import { toAddress } from '~/list/address';
import { useFormats } from '~/ui/useFormats';
import styles from './AddedTerms.module.css';
import { COST_DELAY_MS, CostLine } from './CostLine';

const DAYS_A_MONTH = 30.5;
/** Words that are named; the rest are counted. */
const NAMED = 3;

/** What the server says of new terms once the form rests; nothing while it is not asked, and what it said before while it is asked again. */
export function useAddedTerms(newTerms: NewTermsToPlan | undefined) {
  // A text, since a new object would start the delay again at every render.
  const text = JSON.stringify(newTerms ?? null);
  const [settled] = useDebouncedValue(text, COST_DELAY_MS);
  const asked: NewTermsToPlan | null = JSON.parse(settled);
  const { data, isError, isPlaceholderData } = useQuery({
    ...newTermsCostQuery(asked ?? NOTHING),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  });
  const answered = newTerms && asked ? data : undefined;
  return { ...answered, isCurrent: settled === text && !isPlaceholderData, isError };
}

/** Asked of no server. */
const NOTHING: NewTermsToPlan = { words: [], engine: '', every: AUTO, state: '' };

interface Props {
  /** Undefined while the form lacks what a plan needs. */
  newTerms: NewTermsToPlan | undefined;
  added: ReturnType<typeof useAddedTerms>;
  /** Labels of the company accounts that get access. */
  companies: readonly string[];
}

/** What new terms add: how many, their captures and cost, the brands that they join, and which are there already. */
export function AddedTerms({ newTerms, ...planned }: Props) {
  const { t } = useTranslation('settingTerms');
  return (
    <aside className={styles.added} aria-label={t('adds.title')}>
      <h3>{t('adds.title')}</h3>
      {newTerms ? <Planned newTerms={newTerms} {...planned} /> : <p className={styles.dim}>{t('adds.nothing')}</p>}
    </aside>
  );
}

function Planned({ newTerms, added, companies }: Props & { newTerms: NewTermsToPlan }) {
  const { t } = useTranslation('settingTerms');
  const fmt = useFormats();
  const { cost, plan, isCurrent, isError } = added;
  const skipped = plan?.existing.length ?? 0;
  const count = newTerms.words.length - skipped;
  const isActive = newTerms.state === 'enabled';
  return (
    <>
      <p className={styles.count}>
        <strong>{fmt.count(count)}</strong> {t('adds.terms', { count })}
        {skipped > 0 && t('adds.skipped', { count: skipped })}
      </p>
      <dl className={styles.figures}>
        <dt>{t('adds.first')}</dt>
        <dd>{t(isActive ? 'adds.now' : 'adds.later')}</dd>
        {isActive && (
          <>
            <dt>{t('adds.month')}</dt>
            <dd>{cost && isCurrent ? fmt.count(Math.round(cost.perDay.after * DAYS_A_MONTH)) : '…'}</dd>
          </>
        )}
      </dl>
      <CostLine
        cost={isCurrent ? cost : undefined}
        failed={isError}
        note={isActive && newTerms.every === AUTO ? t('form.addsByVolume') : undefined}
      />
      {plan && <Brands plan={plan} companies={companies} />}
      {plan && skipped > 0 && <Existing plan={plan} />}
    </>
  );
}

/** The brands that new terms join, and who sees those that join none. */
function Brands({ plan: { brands, withoutBrand }, companies }: { plan: NewTermsPlan; companies: readonly string[] }) {
  const { t } = useTranslation('settingTerms');
  const fmt = useFormats();
  const count = withoutBrand.length;
  if (brands.length === 0 && count === 0) return null;
  const unseen = { count, words: withoutBrand[0] ?? '', companies: fmt.list(companies) };
  return (
    <section className={styles.part}>
      <h4>{t('adds.brands')}</h4>
      <dl className={styles.figures}>
        {brands.map(({ id, label, terms }) => (
          <div key={id}>
            <dt>{label}</dt>
            <dd>{fmt.count(terms)}</dd>
          </div>
        ))}
        {count > 0 && (
          <div>
            <dt className={styles.dim}>{t('noBrand')}</dt>
            <dd>{fmt.count(count)}</dd>
          </div>
        )}
      </dl>
      {count > 0 && (
        <p className={styles.warning}>
          {companies.length > 0 ? t('adds.seenByCompanies', unseen) : t('adds.seenByAdmins', unseen)}
        </p>
      )}
    </section>
  );
}

/** The terms that are there already, each with a link to it that leaves the form open. */
function Existing({ plan: { existing } }: { plan: NewTermsPlan }) {
  const { t } = useTranslation('settingTerms');
  const rest = existing.length - NAMED;
  return (
    <section className={styles.part}>
      <h4>{t('adds.existing')}</h4>
      <ul className={styles.existing}>
        {existing.slice(0, NAMED).map(({ id, term }) => (
          <li key={id}>
            <Link
              to="/terms-management"
              search={({ lng }) => ({ lng: asLanguage(lng), ...listOf(term) })}
              target="_blank"
            >
              {term}
              <span className="visually-hidden"> {t('adds.newTab')}</span>
            </Link>
          </li>
        ))}
        {rest > 0 && <li>{t('adds.others', { count: rest })}</li>}
      </ul>
    </section>
  );
}

/** The list of the terms that contain these words. */
const listOf = (words: string) =>
  toAddress({
    page: FIRST_PAGE,
    perPage: 25,
    order: 'id',
    direction: 'DESC',
    filters: { term: { type: 'contain', value: words } },
  });

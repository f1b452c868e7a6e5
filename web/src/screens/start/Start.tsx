import { Button, Progress } from '@mantine/core';
import { IconBuilding, IconCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FC, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import type { Choice } from '~/api/queries/choices';
import { searchCompanies } from '~/api/queries/companies';
import {
  doneSteps,
  newestCompaniesQuery,
  postpone,
  postponedQuery,
  resume,
  START_STEPS,
  type Start as StartState,
  type StartStep,
  startKey,
  startQuery,
} from '~/api/queries/start';
import { isAdmin, useMe } from '~/api/session';
import { errorText } from '~/ui/errorText';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { AsyncSelect } from '~/ui/form/AsyncSelect';
import { Live } from '~/ui/indicators';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './Start.module.css';

/** The forms that steps open in place. */
export interface StartForms {
  Brand: FC<{ brand: null; company: Choice; onClose(): void }>;
  Domains: FC<{ brand: { id: string; label: string }; onClose(): void }>;
  Terms: FC<{ company: Choice; onCreated(): void; onClose(): void }>;
}

/**
 * What a company (`company` in the address, the newest by default) needs before it watches anything. Steps are done once their rows are there, so
 * that each can be left, taken up again or done on its own screen.
 */
export function Start({ forms }: { forms: StartForms }) {
  const { t } = useTranslation('start');
  const common = useTranslation('common').t;
  const navigate = useNavigate();
  const { company } = useSearch({ from: '/start' });
  const newest = useQuery(newestCompaniesQuery);
  const id = company ?? newest.data?.[0]?.value;
  return (
    <div className={styles.start}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.start')}
        </h1>
        <p className={styles.intro}>{t('intro')}</p>
      </header>
      {newest.isError && <ErrorPanel onRetry={() => void newest.refetch()} />}
      {newest.data && id === undefined && (
        <EmptyState
          icon={<IconBuilding size={26} />}
          title={t('noCompany')}
          action={
            <Button component={Link} to="/company-account">
              {t('createCompany')}
            </Button>
          }
        />
      )}
      {id !== undefined && (
        <Company
          key={id}
          id={Number(id)}
          forms={forms}
          onChoose={(chosen) => void navigate({ to: '/start', search: (all) => ({ ...all, company: chosen }) })}
        />
      )}
    </div>
  );
}

interface CompanyProps {
  id: number;
  forms: StartForms;
  /** Undefined for the newest. */
  onChoose(company: number | undefined): void;
}

/** The steps of one company, and the choice of another. */
function Company({ id, forms, onChoose }: CompanyProps) {
  const { t } = useTranslation('start');
  const { data: start, error, refetch } = useQuery(startQuery(id, useMe()));
  if (!start) {
    if (error instanceof ApiError && error.status === 404) return <Gone onLeave={() => onChoose(undefined)} />;
    return error ? <ErrorPanel onRetry={() => void refetch()} /> : null;
  }
  const done = doneSteps(start);
  const steps = START_STEPS.filter((step) => step !== 'users' || start.users !== undefined);
  const count = steps.filter((step) => done[step]).length;
  const next = steps.find((step) => !done[step]);
  return (
    <section className={styles.card} aria-label={t('stepsOf', { company: start.company.label })}>
      <div className={styles.top}>
        <AsyncSelect
          label={t('company')}
          clearable={false}
          search={searchCompanies}
          value={start.company}
          onChange={(chosen) => chosen && onChoose(Number(chosen.value))}
        />
        <div className={styles.progress} role="status">
          {next ? t('progress', { done: count, of: steps.length }) : t('complete')}
          <Progress value={(count / steps.length) * 100} size="sm" aria-label={t('progressBar')} />
        </div>
      </div>
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <li
            key={step}
            className={styles.step}
            data-done={done[step] || undefined}
            aria-current={step === next ? 'step' : undefined}
          >
            <span className={styles.mark} aria-hidden>
              {done[step] ? <IconCheck size={16} /> : index + 1}
            </span>
            <div className={styles.what}>
              <h2 className={styles.name}>
                {t(`step.${step}`)}
                {done[step] && <span className="visually-hidden"> – {t('done')}</span>}
              </h2>
              <p className={styles.text}>{t(`text.${step}`)}</p>
              <Found step={step} start={start} done={done[step]} />
            </div>
            <Actions step={step} start={start} done={done[step]} isNext={step === next} forms={forms} />
          </li>
        ))}
      </ol>
      {next && <Postpone id={id} />}
    </section>
  );
}

/** Says that there is no company account of this id, or not any more. */
function Gone({ onLeave }: { onLeave(): void }) {
  const { t } = useTranslation('start');
  return (
    <EmptyState
      icon={<IconBuilding size={26} />}
      title={t('gone')}
      action={<Button onClick={onLeave}>{t('newest')}</Button>}
    />
  );
}

interface StepProps {
  step: StartStep;
  start: StartState;
  done: boolean;
}

/** What the company has of a step. */
function Found({ step, start, done }: StepProps) {
  const { t } = useTranslation('start');
  const fmt = useFormats();
  const { brands, terms, withoutBrand, users = 0, captures } = start;
  const found = (): string | undefined => {
    switch (step) {
      case 'brand':
        if (brands.length === 0) return undefined;
        return [fmt.list(brands.map(({ label }) => label)), ...(done ? [] : [t('notValidated')])].join('. ');
      case 'domains':
        if (brands.length === 0) return t('needsBrand');
        return t('found.domains', { with: brands.filter(({ hasDomains }) => hasDomains).length, of: brands.length });
      case 'terms':
        if (terms === 0) return undefined;
        return [
          t('found.terms', { count: terms }),
          ...(withoutBrand > 0 ? [t('found.withoutBrand', { count: withoutBrand })] : []),
        ].join(', ');
      case 'users':
        return users > 0 ? t('found.users', { count: users }) : undefined;
      case 'captures':
        if (captures > 0) return t('found.captures', { count: captures });
        return terms > 0 ? undefined : t('needsTerms');
    }
  };
  const text = found();
  if (text) return <p className={styles.found}>{text}</p>;
  return step === 'captures' ? <Live label={t('waiting')} /> : null;
}

interface ActionsProps extends StepProps {
  isNext: boolean;
  forms: StartForms;
}

/** What one can do for a step: what only administrators may, others are not offered. */
function Actions({ step, start, done, isNext, forms }: ActionsProps) {
  const { t } = useTranslation('start');
  const queries = useQueryClient();
  const admin = isAdmin(useMe());
  const [open, setOpen] = useState<{ step: StartStep; brand?: { id: string; label: string } }>();
  const { company, brands, captures } = start;
  const refresh = () => void queries.invalidateQueries({ queryKey: startKey });
  const close = () => {
    setOpen(undefined);
    refresh();
  };
  const chosen = { type: 'inq', value: brands.map(({ id }) => id), labels: brands.map(({ label }) => label) } as const;
  const look = isNext ? {} : ({ variant: 'default' } as const);
  if (step === 'captures') {
    if (captures === 0) return null;
    return (
      <Button
        variant="default"
        renderRoot={(props) => <Link to="/domains" search={brands.length > 0 ? { brandID: chosen } : {}} {...props} />}
      >
        {t('act.captures')}
      </Button>
    );
  }
  if (!admin) return done ? null : <p className={styles.text}>{t('byAdmin')}</p>;
  return (
    <div className={styles.actions}>
      {step === 'brand' && isNext && brands.length > 0 && (
        <Button renderRoot={(props) => <Link to="/brands" search={{ id: chosen }} {...props} />}>
          {t('act.validate')}
        </Button>
      )}
      {step === 'brand' && (
        <Button {...(brands.length > 0 ? { variant: 'default' } : look)} onClick={() => setOpen({ step })}>
          {brands.length > 0 ? t('act.anotherBrand') : t('act.brand')}
        </Button>
      )}
      {step === 'domains' &&
        brands.map(({ id, label, hasDomains }) => (
          <Button
            key={id}
            {...(hasDomains ? { variant: 'default' } : look)}
            onClick={() => setOpen({ step, brand: { id: String(id), label } })}
          >
            {t('act.domains', { brand: label })}
          </Button>
        ))}
      {step === 'terms' && (
        <Button {...look} disabled={brands.length === 0} onClick={() => setOpen({ step })}>
          {t('act.terms')}
        </Button>
      )}
      {step === 'users' && (
        <Button
          {...look}
          renderRoot={(props) => <Link to="/users/create" search={{ company: Number(company.value) }} {...props} />}
        >
          {t('act.users')}
        </Button>
      )}
      {open?.step === 'brand' && <forms.Brand brand={null} company={company} onClose={close} />}
      {open?.brand && <forms.Domains brand={open.brand} onClose={close} />}
      {open?.step === 'terms' && <forms.Terms company={company} onCreated={refresh} onClose={close} />}
    </div>
  );
}

/** Hides this company's start from the reader's dashboard, or offers it there again. */
function Postpone({ id }: { id: number }) {
  const { t } = useTranslation('start');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { data: postponed } = useQuery(postponedQuery);
  const view = postponed?.find(({ name }) => name === String(id));
  const { mutate, isPending } = useMutation({
    mutationFn: () => (view ? resume(view.id) : postpone(id)),
    onError: (error) => toast.error(errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: postponedQuery.queryKey }),
  });
  if (!postponed) return null;
  return (
    <div className={styles.postpone}>
      <p className={styles.text}>{view ? t('postponed') : t('offered')}</p>
      <Button variant="subtle" loading={isPending} onClick={() => mutate()}>
        {view ? t('again') : t('notNow')}
      </Button>
    </div>
  );
}

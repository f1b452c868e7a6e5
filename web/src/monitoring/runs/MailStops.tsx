import { Button, Loader, Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { searchBrands } from '~/api/queries/choices';
import { addMailStop, liftMailStop, type MailStop, mailStopsQuery } from '~/api/queries/outreachToday';
import { ErrorPanel } from '~/ui/feedback';
import { AsyncSelect, type Chosen } from '~/ui/form/AsyncSelect';
import { FormModal } from '~/ui/form/FormModal';
import { useFormats } from '~/ui/useFormats';
import { useOperation } from '../useOperation';
import styles from './runs.module.css';

/** The server's limit. */
const LONGEST_REASON = 500;

const SCOPES = ['all', 'brand', 'kind', 'domain'] as const;
type Scope = (typeof SCOPES)[number];
const KINDS = ['notification', 'reminder', 'answer'] as const;

/** What a stop is about, in words. */
function useStopWords() {
  const { t } = useTranslation('operations');
  return ({ scope, subject, brand }: MailStop): string => {
    if (scope === 'brand') return t('outreach.brand', { name: brand ?? subject });
    if (scope === 'domain') return t('outreach.domain', { name: subject });
    if (scope !== 'kind') return t('outreach.all');
    const kind = KINDS.find((one) => one === subject);
    return kind ? t(`outreach.form.${kind}`) : t('outreach.kind', { name: subject });
  };
}

/** The stops of mails to advertisers that have not ended, with a form for another one. */
export function MailStops() {
  const { t } = useTranslation('operations');
  const { data, isError, refetch } = useQuery(mailStopsQuery);
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label={t('outreach.stops')}>
      <div className={styles.cardHead}>
        <h3 className={styles.cardTitle}>{t('outreach.stops')}</h3>
        <Button className={styles.stop} variant="default" size="compact-md" onClick={() => setOpen(true)}>
          {t('outreach.stop')}
        </Button>
      </div>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />)}
      {data?.length === 0 && <p className={styles.dim}>{t('outreach.noStop')}</p>}
      {data && data.length > 0 && (
        <table className={styles.table}>
          <tbody>
            {data.map((stop) => (
              <StopRow key={stop.id} stop={stop} />
            ))}
          </tbody>
        </table>
      )}
      {isOpen && <StopModal onClose={() => setOpen(false)} />}
    </section>
  );
}

/** A stop with who made it and what it holds, and the button that lifts it. */
function StopRow({ stop }: { stop: MailStop }) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const what = useStopWords()(stop);
  const lift = useOperation(() => liftMailStop(stop.id), t('outreach.lifted'));
  return (
    <tr>
      <th scope="row" className={styles.lead}>
        <span className="sentence">{what}</span>
        <span className={styles.under}>{stop.reason}</span>
      </th>
      <td className={styles.dim}>
        {t('outreach.by', { who: stop.by ?? '–', at: fmt.dateTime(stop.at) })}
        {stop.until && <span className={styles.under}>{t('outreach.ends', { at: fmt.dateTime(stop.until) })}</span>}
      </td>
      <td>{t('outreach.held', { count: stop.held })}</td>
      <td>
        <Button
          size="compact-sm"
          variant="default"
          loading={lift.isPending}
          aria-label={t('outreach.liftOf', { what })}
          onClick={() => lift.mutate()}
        >
          {t('outreach.lift')}
        </Button>
      </td>
    </tr>
  );
}

/** Asks what is stopped, why and until when. Closes on success; a failure shows a toast and leaves it open. */
function StopModal({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('operations');
  const [scope, setScope] = useState<Scope>('all');
  const [brand, setBrand] = useState<Chosen | null>(null);
  const [subject, setSubject] = useState('');
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState('');
  const about = scope === 'all' ? '' : scope === 'brand' ? String(brand?.value ?? '') : subject;
  const stop = useOperation(
    () => addMailStop({ scope, subject: about, reason, until: until === '' ? null : new Date(until).toISOString() }),
    t('outreach.stopped'),
    onClose,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    stop.mutate();
  };
  return (
    <FormModal
      title={t('outreach.form.title')}
      submitLabel={t('outreach.form.confirm')}
      saving={stop.isPending}
      disabled={reason.trim() === ''}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label={t('outreach.form.what')}
        data={SCOPES.map((one) => ({ value: one, label: t(`outreach.form.${one}`) }))}
        allowDeselect={false}
        value={scope}
        onChange={(chosen) => {
          setScope(SCOPES.find((one) => one === chosen) ?? 'all');
          setSubject(chosen === 'kind' ? KINDS[0] : '');
        }}
      />
      {scope === 'brand' && (
        <AsyncSelect label={t('outreach.form.subject.brand')} search={searchBrands} value={brand} onChange={setBrand} />
      )}
      {scope === 'kind' && (
        <Select
          label={t('outreach.form.subject.kind')}
          data={KINDS.map((kind) => ({ value: kind, label: t(`outreach.form.${kind}`) }))}
          allowDeselect={false}
          value={subject}
          onChange={(chosen) => setSubject(chosen ?? '')}
        />
      )}
      {scope === 'domain' && (
        <TextInput
          label={t('outreach.form.subject.domain')}
          placeholder="shop.example"
          value={subject}
          onChange={(event) => setSubject(event.currentTarget.value)}
        />
      )}
      <Textarea
        label={t('outreach.form.reason')}
        value={reason}
        maxLength={LONGEST_REASON}
        autosize
        minRows={2}
        required
        data-autofocus
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label={t('outreach.form.until')}
        description={t('outreach.form.untilHint')}
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
    </FormModal>
  );
}

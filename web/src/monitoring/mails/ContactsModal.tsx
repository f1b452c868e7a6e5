import { Button, Loader, Switch, TextInput } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { addContact, type Contact, caseMailsQuery, changeContact } from '~/api/queries/caseMails';
import { looksLikeEmail } from '~/lib/validation';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { ModalFrame } from '~/ui/form/FormModal';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { type Flaw, flawOf } from './contacts';
import styles from './mails.module.css';

/** As long as a name may be. */
const LONGEST_NAME = 255;

const TONES: Readonly<Record<Flaw | 'active', Tone>> = {
  active: 'good',
  bounced: 'bad',
  suppressed: 'bad',
  unreachable: 'warn',
  inactive: 'idle',
};

interface Props {
  caseId: string;
  /** After a change, which may open the way for mails. */
  onChange(): void;
  onClose(): void;
}

/** The contacts of an advertiser and of its master dealer: who they are, whether they can be written to, and adding one. */
export function ContactsModal({ caseId, onChange, onClose }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const mails = caseMailsQuery(caseId);
  const { data, isError, refetch } = useQuery(mails);
  const { mutate, isPending } = useMutation({
    mutationFn: ({ id, state }: { id: number; state: 'active' | 'inactive' }) => changeContact(caseId, id, { state }),
    onSuccess: onChange,
    onError: (error) => toast.error(t('contacts.failed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: mails.queryKey }),
  });
  return (
    <ModalFrame title={t('contacts.title')} size="lg" onClose={onClose}>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {data?.contacts.length === 0 && <p className={styles.dim}>{t('contacts.none')}</p>}
      <ul className={styles.contacts} aria-label={t('contacts.title')}>
        {data?.contacts.map((contact) => (
          <ContactLine
            key={contact.id}
            contact={contact}
            disabled={isPending}
            onSwitch={(active) => mutate({ id: contact.id, state: active ? 'active' : 'inactive' })}
          />
        ))}
      </ul>
      {data && <AddContact caseId={caseId} onAdded={onChange} />}
    </ModalFrame>
  );
}

interface LineProps {
  contact: Contact;
  disabled: boolean;
  onSwitch(active: boolean): void;
}

/** A contact with its state; one that neither bounced nor asked for silence can be set aside as the wrong person, and taken back. */
function ContactLine({ contact, disabled, onSwitch }: LineProps) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const state = flawOf(contact) ?? 'active';
  return (
    <li>
      <div className={styles.contactName}>
        <strong>{contact.name || contact.email}</strong>
        {contact.name && <span className={styles.dim}>{contact.email}</span>}
        {contact.dealer === 'master' && <span className={styles.dim}>{t('contacts.ofMaster')}</span>}
      </div>
      <div className={styles.contactState}>
        <StatusBadge tone={TONES[state]}>{t(`contacts.state.${state}`)}</StatusBadge>
        {contact.lastBounce && (
          <span className={styles.dim}>{t('contacts.lastBounce', { date: fmt.date(contact.lastBounce) })}</span>
        )}
      </div>
      {(state === 'active' || state === 'inactive' || state === 'unreachable') && (
        <Switch
          size="sm"
          label={t('contacts.write')}
          aria-label={t('contacts.writeTo', { address: contact.email })}
          checked={state === 'active'}
          disabled={disabled}
          onChange={(event) => onSwitch(event.currentTarget.checked)}
        />
      )}
    </li>
  );
}

/** Adds a contact to the advertiser of a case. */
function AddContact({ caseId, onAdded }: { caseId: string; onAdded(): void }) {
  const { t } = useTranslation('mailsOfCases');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useMutation({
    mutationFn: () => addContact(caseId, { email: email.trim(), name: name.trim() }),
    onSuccess: () => {
      setEmail('');
      setName('');
      toast.success(t('contacts.added'));
      onAdded();
    },
    onError: (failure) => {
      const [said] = failure instanceof ApiError ? (failure.fields.email ?? []) : [];
      if (said) setError(said);
      else toast.error(t('contacts.failed'), errorText(failure, common));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: caseMailsQuery(caseId).queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!looksLikeEmail(email.trim())) return setError(t('contacts.invalid'));
    mutate();
  };
  return (
    <form className={styles.addContact} onSubmit={submit} noValidate>
      <TextInput
        type="email"
        label={t('contacts.email')}
        value={email}
        error={error}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
          setError(undefined);
        }}
      />
      <TextInput
        label={t('contacts.name')}
        maxLength={LONGEST_NAME}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" leftSection={<IconUserPlus size={16} aria-hidden />} loading={isPending}>
        {t('contacts.add')}
      </Button>
    </form>
  );
}

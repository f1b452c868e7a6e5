import { Button, CloseButton, Menu, TextInput } from '@mantine/core';
import { IconBan, IconMailX, IconPlus, IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { addContact, type CaseMails, type Contact, caseMailsQuery } from '~/api/queries/caseMails';
import { looksLikeEmail } from '~/lib/validation';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { flawOf, isReachable } from '../contacts';
import styles from './composer.module.css';

interface Props {
  caseId: string;
  contacts: readonly Contact[];
  to: readonly number[];
  /** Why these recipients were refused. */
  error: string | undefined;
  onChange(to: readonly number[]): void;
}

/** The recipients as chips. Contacts that bounced, or may not be written to, are shown and cannot be chosen; a new address becomes a contact first. */
export function Recipients({ caseId, contacts, to, error, onChange }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const [adding, setAdding] = useState(false);
  const chosen = to.flatMap((id) => contacts.find((contact) => contact.id === id) ?? []);
  const others = contacts.filter((contact) => isReachable(contact) && !to.includes(contact.id));
  const flawed = contacts.filter((contact) => ['bounced', 'suppressed', 'unreachable'].includes(flawOf(contact) ?? ''));
  return (
    <fieldset className={styles.to} aria-label={t('to')} data-error={error !== undefined || undefined}>
      <span className={styles.toLabel}>{t('to')}</span>
      <ul className={styles.chips}>
        {chosen.map((contact) => {
          const flaw = flawOf(contact);
          return (
            <li key={contact.id} className={styles.chip} data-flaw={flaw} title={contact.name ?? undefined}>
              <span className={styles.dot} aria-hidden />
              <span className={styles.address}>{contact.email}</span>
              {flaw && <span className={styles.flaw}>{t(`contacts.state.${flaw}`)}</span>}
              <CloseButton
                size="xs"
                aria-label={t('removeRecipient', { address: contact.email })}
                onClick={() => onChange(to.filter((id) => id !== contact.id))}
              />
            </li>
          );
        })}
        <li>
          <Menu position="bottom-start" width="max-content">
            <Menu.Target>
              <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={15} aria-hidden />}>
                {t('addRecipient')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {others.map(({ id, email, name }) => (
                <Menu.Item key={id} onClick={() => onChange([...to, id])}>
                  {email}
                  {name && <span className={styles.dim}> {name}</span>}
                </Menu.Item>
              ))}
              <Menu.Item leftSection={<IconUserPlus size={15} />} onClick={() => setAdding(true)}>
                {t('newAddress')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </li>
        {flawed
          .filter(({ id }) => !to.includes(id))
          .map((contact) => {
            const flaw = flawOf(contact) ?? 'bounced';
            const Mark = flaw === 'bounced' ? IconMailX : IconBan;
            return (
              <li key={contact.id} className={styles.chip} data-flaw={flaw}>
                <Mark size={15} aria-hidden />
                <s className={styles.address}>{contact.email}</s>
                <span className={styles.flaw}>{t(`contacts.state.${flaw}`)}</span>
                <span className={styles.dim}>
                  {contact.lastBounce
                    ? t('cannotBeChosenSince', { date: fmt.shortDate(contact.lastBounce) })
                    : t('cannotBeChosen')}
                </span>
              </li>
            );
          })}
      </ul>
      {adding && (
        <NewAddress
          caseId={caseId}
          onAdded={(id) => {
            setAdding(false);
            if (id !== undefined) onChange([...to, id]);
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface NewAddressProps {
  caseId: string;
  /** With the id of the new contact. */
  onAdded(id: number | undefined): void;
  onClose(): void;
}

/** Makes a contact of an address, to write to it. */
function NewAddress({ caseId, onAdded, onClose }: NewAddressProps) {
  const { t } = useTranslation('mailsOfCases');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [error, setError] = useState<string>();
  const { mutate, isPending } = useMutation({
    mutationFn: async (address: string) => {
      await addContact(caseId, { email: address, name: '' });
      const { queryKey } = caseMailsQuery(caseId);
      await queries.invalidateQueries({ queryKey });
      return queries
        .getQueryData<CaseMails>(queryKey)
        ?.contacts.find((contact) => contact.email.toLowerCase() === address.toLowerCase() && isReachable(contact))?.id;
    },
    onSuccess: onAdded,
    onError: (failure) => {
      const [said] = failure instanceof ApiError ? (failure.fields.email ?? []) : [];
      if (said) setError(said);
      else toast.error(t('contacts.failed'), errorText(failure, common));
    },
  });
  const submit = () => {
    const address = email.trim();
    if (!looksLikeEmail(address)) return setError(t('contacts.invalid'));
    mutate(address);
  };
  return (
    // Not a form: it is in that of the mail.
    <div className={styles.newAddress}>
      <TextInput
        type="email"
        size="sm"
        autoFocus
        aria-label={t('newAddress')}
        placeholder="name@domain.example"
        value={email}
        error={error}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
          setError(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter') return;
          event.preventDefault();
          event.stopPropagation();
          if (event.key === 'Enter') submit();
          else onClose();
        }}
      />
      <Button size="sm" variant="light" loading={isPending} onClick={submit}>
        {t('contacts.save')}
      </Button>
      <CloseButton aria-label={common('cancel')} onClick={onClose} />
    </div>
  );
}

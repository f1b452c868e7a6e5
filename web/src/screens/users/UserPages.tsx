import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconChevronLeft, IconMailExclamation, IconSwitchHorizontal, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FLAGS, giveFlag, userFlagsQuery } from '~/api/flags';
import { companyQuery } from '~/api/queries/companies';
import { removeSecondFactor, userSecondFactorQuery } from '~/api/queries/secondFactor';
import { createUser, type Undelivered, updateUser, userName, userQuery } from '~/api/queries/users';
import { useMe } from '~/api/session';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { useOwnTitle } from '~/ui/pageTitle';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { DeleteUser, useImpersonate } from './UserActions';
import { UserForm } from './UserForm';
import styles from './Users.module.css';

/** The page for a new user, /users/create, of the `company` in its address if there is one; after saving it opens the page of that user. */
export function CreateUserPage() {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const { company } = useSearch({ from: '/users/create' });
  const { data: chosen, isPending } = useQuery({ ...companyQuery(company ?? 0), enabled: company !== undefined });
  return (
    <div className={styles.page}>
      <BackToUsers />
      <h1 className={styles.title} tabIndex={-1}>
        {t('create')}
      </h1>
      {(company === undefined || !isPending) && (
        <UserForm
          user={null}
          {...(chosen && { company: chosen })}
          save={createUser}
          onSaved={(id) => navigate({ to: '/users/$id', params: { id } })}
        />
      )}
    </div>
  );
}

/**
 * The page of one user, /users/$id: a form that stays open after saving, feature flags that save at once, and the last mail if it was not delivered.
 * Anyone but oneself can also be impersonated, or deleted, which leads to the list.
 */
export function UserPage() {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const { id } = useParams({ from: '/users/$id' });
  const { data: user } = useSuspenseQuery(userQuery(id));
  useOwnTitle(userName(user));
  const isSelf = String(useMe().id) === id;
  const impersonate = useImpersonate(id);
  const [deleting, setDeleting] = useState(false);
  return (
    <div className={styles.page}>
      <BackToUsers />
      <h1 className={styles.title} tabIndex={-1}>
        {userName(user)}
      </h1>
      {user.undelivered && <UndeliveredAlert mail={user.undelivered} />}
      <UserForm
        // Starts over from the saved values.
        key={JSON.stringify(user)}
        user={user}
        save={async (change) => {
          await updateUser(id, change);
          return id;
        }}
        onSaved={() => undefined}
      >
        {!isSelf && (
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<IconSwitchHorizontal size={16} />}
              loading={impersonate.isPending}
              onClick={() => impersonate.mutate()}
            >
              {t('switch')}
            </Button>
            <Button variant="light" color="red" leftSection={<IconTrash size={16} />} onClick={() => setDeleting(true)}>
              {t('delete')}
            </Button>
          </Group>
        )}
      </UserForm>
      {!isSelf && <UserSecondFactor id={id} name={userName(user)} />}
      <UserFlags id={id} />
      {deleting && (
        <DeleteUser
          user={user}
          onClose={() => setDeleting(false)}
          onDeleted={() => navigate({ to: '/users', replace: true })}
        />
      )}
    </div>
  );
}

/** A link to the list of users. */
function BackToUsers() {
  const { t } = useTranslation('users');
  return (
    <Link to="/users" className={styles.back}>
      <IconChevronLeft size={16} aria-hidden />
      {t('form.back')}
    </Link>
  );
}

/** Says which mail to the user was the last that could not be delivered, when and why. */
function UndeliveredAlert({ mail }: { mail: Undelivered }) {
  const { t } = useTranslation('users');
  const fmt = useFormats();
  const kind = t(`undelivered.kind.${mail.kind as 'reset'}`);
  return (
    <Alert color="orange" icon={<IconMailExclamation />} title={t('undelivered.title')} role="status">
      {t('undelivered.text', { kind, at: fmt.dateTime(mail.at), reason: mail.reason })}
      <br />
      {t('undelivered.check')}
    </Alert>
  );
}

/** Whether a user's sign-ins need a code, and the way out for whoever has lost the app. */
function UserSecondFactor({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation('users');
  const formats = useFormats();
  const { data } = useQuery(userSecondFactorQuery(id));
  const [removing, setRemoving] = useState(false);
  if (!data) return null;
  return (
    <section className={styles.panel} aria-labelledby="user-second-factor">
      <h2 id="user-second-factor" className={styles.section}>
        {t('secondFactor.title')}
      </h2>
      <Group justify="space-between">
        <Text size="sm">
          {data.since ? t('secondFactor.on', { at: formats.date(data.since) }) : t('secondFactor.off')}
        </Text>
        {data.since && (
          <Button variant="light" color="red" onClick={() => setRemoving(true)}>
            {t('secondFactor.remove')}
          </Button>
        )}
      </Group>
      {removing && (
        <ConfirmModal
          danger
          title={t('secondFactor.remove')}
          text={t('secondFactor.removeText', { name })}
          confirm={t('secondFactor.remove')}
          act={() => removeSecondFactor(id)}
          done={t('secondFactor.removed')}
          changes={[userSecondFactorQuery(id).queryKey]}
          onClose={() => setRemoving(false)}
        />
      )}
    </section>
  );
}

/** The feature flags of a user. Each switch saves at once, with a toast; a flag of one of the user's roles cannot be switched off here. */
function UserFlags({ id }: { id: string }) {
  const { t } = useTranslation('users');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { data, isError } = useQuery(userFlagsQuery(id));
  const give = useMutation({
    mutationFn: giveFlag,
    onSuccess: (flags, { on }) => {
      queries.setQueryData(userFlagsQuery(id).queryKey, flags);
      void queries.invalidateQueries({ queryKey: ['flags', Number(id)] });
      toast.success(t(on ? 'flags.on' : 'flags.off'));
    },
    onError: (error) => toast.error(errorText(error, common)),
  });
  return (
    <section className={styles.panel} aria-labelledby="user-flags">
      <h2 id="user-flags" className={styles.section}>
        {t('flags.title')}
      </h2>
      {isError && <Text size="sm">{t('flags.failed')}</Text>}
      <Stack gap="sm">
        {FLAGS.map((key) => {
          const flag = data?.find((one) => one.key === key);
          return (
            <Switch
              key={key}
              label={t(`flags.${key}`)}
              description={flag?.byRole ? t('flags.byRole') : undefined}
              checked={flag ? flag.byRole || flag.byName : false}
              disabled={!flag || flag.byRole || give.isPending}
              onChange={({ currentTarget }) => give.mutate({ id, key, on: currentTarget.checked })}
            />
          );
        })}
      </Stack>
    </section>
  );
}

import { ActionIcon, Button, Text, TextInput, Tooltip } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { uploadAvatar } from '~/api/queries/account';
import type { Choice } from '~/api/queries/choices';
import { searchCompanies } from '~/api/queries/companies';
import { searchRoles, setRoles, type UserChange, type UserDetail, userName, usersKey } from '~/api/queries/users';
import { meQuery } from '~/api/session';
import { keepsRules, looksLikeEmail, PROFILE_RULES } from '~/lib/validation';
import { AvatarField } from '~/ui/avatar/AvatarField';
import { errorText } from '~/ui/errorText';
import { AsyncMultiSelect, AsyncSelect, type Chosen } from '~/ui/form/AsyncSelect';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { toast } from '~/ui/toast';
import { generatePassword } from './password';
import styles from './Users.module.css';

/** The server's limits. */
const MAX_LENGTH = { email: 254, password: 72, name: 255 } as const;

/** Named as the server names its fields: its errors are shown by name. */
interface Values extends Record<string, unknown> {
  email: string;
  firstName: string;
  lastName: string;
  password: string;
  companyAccountId: Chosen | null;
  roles: readonly Chosen[];
  picture: Blob | null;
}

/** A user that was saved, and why its roles were not. */
interface Saved {
  id: string;
  rolesFailed?: string;
}

interface Props {
  /** The stored user; null for a new one. */
  user: UserDetail | null;
  /** A company account that a new user starts with. */
  company?: Choice;
  /** Saves the user and returns its id. */
  save(change: UserChange): Promise<string>;
  onSaved(id: string): void;
  /** More buttons, at the left end of the button row. */
  children?: ReactNode;
}

/**
 * The form of a new or stored user; a new one gets a generated password that can be changed. Saves the picture first, then the user, then the
 * roles. If the picture or the roles fail, a toast says so and the rest counts as saved.
 */
export function UserForm({ user, company, save, onSaved, children }: Props) {
  const { t } = useTranslation('users');
  const avatar = useTranslation('avatar').t;
  const common = useTranslation('common').t;

  /** A failed upload shows a toast; the rest of the form is still saved. */
  const upload = async (picture: Blob | null): Promise<string | undefined> => {
    if (!picture) return undefined;
    try {
      return await uploadAvatar(picture);
    } catch {
      toast.error(avatar('failed'));
      return undefined;
    }
  };

  const saveAll = async (values: Values): Promise<Saved> => {
    const avatarId = await upload(values.picture);
    const id = await save({
      email: values.email.trim(),
      firstName: values.firstName.trim(),
      lastName: values.lastName.trim(),
      companyAccountId: values.companyAccountId ? Number(values.companyAccountId.value) : null,
      ...(avatarId && { avatarId }),
      ...(!user && { password: values.password }),
    });
    const ids = (roles: readonly Chosen[]) => roles.map(({ value }) => Number(value));
    try {
      await setRoles(id, ids(user?.roles ?? []), ids(values.roles));
      return { id };
    } catch (error) {
      return { id, rolesFailed: errorText(error, common) };
    }
  };

  const { form, submit, saving } = useSavedForm<Values, Saved>({
    initialValues: {
      email: user?.email ?? '',
      firstName: user?.firstName ?? '',
      lastName: user?.lastName ?? '',
      password: user ? '' : generatePassword(),
      companyAccountId: user?.company ?? company ?? null,
      roles: user?.roles ?? [],
      picture: null,
    },
    validate: {
      email: (value) => {
        if (value.trim() === '') return t('form.emailRequired');
        return looksLikeEmail(value.trim()) ? null : t('form.emailInvalid');
      },
      password: (value) => (user || keepsRules(value, PROFILE_RULES) ? null : t('form.passwordWeak')),
    },
    save: saveAll,
    onSaved: ({ id, rolesFailed }) => {
      if (rolesFailed) toast.error(t('rolesFailed', { reason: rolesFailed }));
      else toast.success(user ? t('updated') : t('created'));
      onSaved(id);
    },
    changes: [usersKey, meQuery.queryKey],
  });
  const values = form.getValues();

  return (
    <form onSubmit={submit} noValidate className={styles.panel}>
      <h2 className={styles.section}>{t('form.person')}</h2>
      <AvatarField
        name={userName(values)}
        avatarId={user?.avatarId ?? null}
        picked={values.picture}
        onPick={(picture) => form.setFieldValue('picture', picture)}
      />
      <div className={styles.two}>
        <TextInput
          label={t('form.firstName')}
          maxLength={MAX_LENGTH.name}
          autoComplete="off"
          {...form.getInputProps('firstName')}
        />
        <TextInput
          label={t('form.lastName')}
          maxLength={MAX_LENGTH.name}
          autoComplete="off"
          {...form.getInputProps('lastName')}
        />
      </div>
      <h2 className={styles.section}>{t('form.access')}</h2>
      <div className={styles.two}>
        <TextInput
          label={t('form.email')}
          type="email"
          withAsterisk
          maxLength={MAX_LENGTH.email}
          autoComplete="off"
          {...form.getInputProps('email')}
        />
        {!user && (
          <TextInput
            label={t('form.password')}
            description={t('form.passwordHint')}
            maxLength={MAX_LENGTH.password}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="off"
            rightSection={
              <Tooltip label={t('form.passwordNew')}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('form.passwordNew')}
                  onClick={() => form.setFieldValue('password', generatePassword())}
                >
                  <IconRefresh size={16} />
                </ActionIcon>
              </Tooltip>
            }
            {...form.getInputProps('password')}
          />
        )}
        <AsyncSelect
          label={t('form.company')}
          data-path="companyAccountId"
          search={searchCompanies}
          value={values.companyAccountId}
          error={form.errors.companyAccountId}
          onChange={(company) => form.setFieldValue('companyAccountId', company)}
        />
        <AsyncMultiSelect
          label={t('form.roles')}
          search={searchRoles}
          value={values.roles}
          onChange={(roles) => form.setFieldValue('roles', roles)}
        />
      </div>
      {values.roles.length === 0 && !values.companyAccountId && (
        <Text size="sm" c="dimmed">
          {t('form.seesNothing')}
        </Text>
      )}
      <div className={styles.buttons}>
        {children && <div className={styles.apart}>{children}</div>}
        <Button type="submit" loading={saving}>
          {common('save')}
        </Button>
      </div>
    </form>
  );
}

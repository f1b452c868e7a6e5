import { Button, Group } from '@mantine/core';
import { IconSwitchHorizontal, IconTrash } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { updateUser, userName, userQuery } from '~/api/queries/users';
import { useMe } from '~/api/session';
import { useOwnTitle } from '~/ui/pageTitle';
import { BackToUsers } from './BackToUsers';
import { DeleteUser } from './DeleteUser';
import { UndeliveredNotice } from './Undelivered';
import { UserFlags } from './UserFlags';
import { UserForm } from './UserForm';
import styles from './users.module.css';
import { useSwitch } from './useSwitch';

/** A user with roles, company account and picture. */
export function EditUser() {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const { id } = useParams({ from: '/users/$id' });
  const { data: user } = useSuspenseQuery(userQuery(id));
  useOwnTitle(userName(user));
  const isOneself = String(useMe().id) === id;
  const switching = useSwitch(id);
  const [deleting, setDeleting] = useState(false);
  return (
    <div className={styles.page}>
      <BackToUsers />
      <h1 className={styles.title} tabIndex={-1}>
        {userName(user)}
      </h1>
      {user.undelivered && <UndeliveredNotice mail={user.undelivered} />}
      <UserForm
        // What was saved is where the next change starts from.
        key={JSON.stringify(user)}
        user={user}
        save={async (change) => {
          await updateUser(id, change);
          return id;
        }}
        onSaved={() => undefined}
      >
        {!isOneself && (
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<IconSwitchHorizontal size={16} />}
              loading={switching.isPending}
              onClick={() => switching.mutate()}
            >
              {t('switch')}
            </Button>
            <Button variant="light" color="red" leftSection={<IconTrash size={16} />} onClick={() => setDeleting(true)}>
              {t('delete')}
            </Button>
          </Group>
        )}
      </UserForm>
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

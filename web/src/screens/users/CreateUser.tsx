import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { createUser } from '~/api/queries/users';
import { BackToUsers } from './BackToUsers';
import { UserForm } from './UserForm';
import styles from './users.module.css';

/** Makes a user. */
export function CreateUser() {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  return (
    <div className={styles.page}>
      <BackToUsers />
      <h1 className={styles.title} tabIndex={-1}>
        {t('create')}
      </h1>
      <UserForm user={null} save={createUser} onSaved={(id) => navigate({ to: '/users/$id', params: { id } })} />
    </div>
  );
}

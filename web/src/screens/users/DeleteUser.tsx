import { useTranslation } from 'react-i18next';
import { deleteUser, type UserRow, userName, usersKey } from '~/api/queries/users';
import { ConfirmModal } from '~/ui/ConfirmModal';

interface Props {
  user: Pick<UserRow, 'id' | 'email' | 'firstName' | 'lastName'>;
  onClose(): void;
  onDeleted?: () => void;
}

/** Who is meant: the name with the address, or the address alone. */
const called = (user: Props['user']): string => {
  const name = userName(user);
  return name === user.email ? name : `${name} (${user.email})`;
};

/** Asks before a user is deleted. */
export function DeleteUser({ user, onClose, onDeleted }: Props) {
  const { t } = useTranslation('users');
  return (
    <ConfirmModal
      danger
      title={t('delete')}
      text={t('confirm.text', { name: called(user) })}
      confirm={t('delete')}
      act={async () => {
        await deleteUser(user.id);
        onDeleted?.();
      }}
      done={t('deleted')}
      changes={usersKey}
      onClose={onClose}
    />
  );
}

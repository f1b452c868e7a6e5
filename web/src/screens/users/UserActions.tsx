import { Menu } from '@mantine/core';
import { IconPencil, IconSwitchHorizontal, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteUser, type UserRow, userName, usersKey } from '~/api/queries/users';
import { useMe, workAs } from '~/api/session';
import { RowMenu } from '~/ui/buttons';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

/** A mutation that starts to impersonate a user, clears all browser storage and reloads the application at home. A failure shows a toast. */
export function useImpersonate(userId: string) {
  const { t } = useTranslation('common');
  return useMutation({
    mutationFn: () => workAs(userId),
    onError: (error) => toast.error(errorText(error, t)),
  });
}

/** The menu of a user's row: impersonate, edit, or delete after a confirmation. Users can neither impersonate nor delete themselves. */
export function UserMenu({ row }: { row: UserRow }) {
  const { t } = useTranslation('users');
  const isSelf = String(useMe().id) === row.id;
  const impersonate = useImpersonate(row.id);
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <RowMenu label={t('menu', { name: userName(row) })}>
        <Menu.Item
          leftSection={<IconSwitchHorizontal size={16} />}
          disabled={isSelf || impersonate.isPending}
          onClick={() => impersonate.mutate()}
        >
          {t('switch')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPencil size={16} />}
          renderRoot={(props) => <Link to="/users/$id" params={{ id: row.id }} {...props} />}
        >
          {t('update')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTrash size={16} />}
          c="var(--bad)"
          disabled={isSelf}
          onClick={() => setDeleting(true)}
        >
          {t('delete')}
        </Menu.Item>
      </RowMenu>
      {deleting && <DeleteUser user={row} onClose={() => setDeleting(false)} />}
    </>
  );
}

interface DeleteUserProps {
  user: Pick<UserRow, 'id' | 'email' | 'firstName' | 'lastName'>;
  onClose(): void;
  onDeleted?: () => void;
}

/**
 * The confirmation that deletes a user. Success calls `onDeleted`, shows a toast, reloads the lists of users and closes; a failure shows a toast
 * only.
 */
export function DeleteUser({ user, onClose, onDeleted }: DeleteUserProps) {
  const { t } = useTranslation('users');
  const name = userName(user);
  return (
    <ConfirmModal
      danger
      title={t('delete')}
      text={t('confirm.text', { name: name === user.email ? name : `${name} (${user.email})` })}
      confirm={t('delete')}
      act={async () => {
        await deleteUser(user.id);
        onDeleted?.();
      }}
      done={t('deleted')}
      changes={[usersKey]}
      onClose={onClose}
    />
  );
}

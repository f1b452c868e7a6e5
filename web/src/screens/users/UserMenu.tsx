import { Menu } from '@mantine/core';
import { IconPencil, IconSwitchHorizontal, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserRow } from '~/api/queries/users';
import { userName } from '~/api/queries/users';
import { useMe } from '~/api/session';
import { RowMenu } from '~/ui/buttons';
import { DeleteUser } from './DeleteUser';
import { useSwitch } from './useSwitch';

/** What can be done with a user. Nobody switches to oneself, or deletes oneself. */
export function UserMenu({ row }: { row: UserRow }) {
  const { t } = useTranslation('users');
  const isOneself = String(useMe().id) === row.id;
  const switching = useSwitch(row.id);
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      <RowMenu label={t('menu', { name: userName(row) })}>
        <Menu.Item
          leftSection={<IconSwitchHorizontal size={16} />}
          disabled={isOneself || switching.isPending}
          onClick={() => switching.mutate()}
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
          disabled={isOneself}
          onClick={() => setDeleting(true)}
        >
          {t('delete')}
        </Menu.Item>
      </RowMenu>
      {deleting && <DeleteUser user={row} onClose={() => setDeleting(false)} />}
    </>
  );
}

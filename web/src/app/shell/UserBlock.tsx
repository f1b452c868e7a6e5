import { Menu, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLogout, IconUserEdit } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';

import { useTranslation } from 'react-i18next';
import { fullName, isAdmin, useMe } from '~/api/session';
import { lazyPart } from '~/ui/lazyPart';
import { UserAvatar } from '~/ui/UserAvatar';
import styles from './Header.module.css';

const Profile = lazyPart(() => import('~/screens/profile/Profile').then((module) => module.Profile), {
  texts: ['profile', 'avatar', 'password', 'login'],
});

/** Who is signed in, with a popup of what concerns them. */
export function UserBlock({ compact }: { compact: boolean }) {
  const { t } = useTranslation('common');
  const me = useMe();
  const [editing, profile] = useDisclosure();
  const name = fullName(me);
  const standing = isAdmin(me) ? t('header.admin') : (me.companyAccount?.label ?? me.companyAccount?.name);
  return (
    <>
      {editing && <Profile onClose={profile.close} />}
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <UnstyledButton className={styles.user} aria-label={t('header.account', { name })}>
            <UserAvatar name={name} avatarId={me.avatarId} />
            {!compact && (
              <span className={styles.names}>
                <span className={styles.name}>{name}</span>
                <span className={styles.role}>{standing}</span>
              </span>
            )}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{me.email}</Menu.Label>
          <Menu.Item leftSection={<IconUserEdit size={16} />} onClick={profile.open}>
            <span className="sentence">{t('header.editProfile')}</span>
          </Menu.Item>
          <Menu.Item component={Link} to="/logout" leftSection={<IconLogout size={16} />}>
            <span className="sentence">{t('header.logout')}</span>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

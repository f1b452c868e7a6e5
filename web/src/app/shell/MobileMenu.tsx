import { Burger, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { Logo } from '~/ui/Logo';
import { MenuLinks } from './SideMenu';
import styles from './SideMenu.module.css';

/** A burger button that opens the menu of narrow windows in a drawer, which closes when a link is followed. */
export function MobileMenu() {
  const { t } = useTranslation('common');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Burger size="sm" opened={opened} onClick={open} aria-label={t('menu.open')} aria-expanded={opened} />
      <Drawer
        opened={opened}
        onClose={close}
        size={280}
        title={<Logo />}
        closeButtonProps={{ 'aria-label': t('menu.close') }}
        classNames={{ content: styles.drawer, header: styles.drawer, close: styles.drawerClose }}
      >
        <div data-open>
          <MenuLinks open onNavigate={close} />
        </div>
      </Drawer>
    </>
  );
}

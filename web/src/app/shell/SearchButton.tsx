import { Kbd, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '~/api/session';
import { areKeysOn, keyListener } from '~/lib/keys';
import { lazyPart } from '~/ui/lazyPart';
import styles from './Header.module.css';

const GlobalSearch = lazyPart(() => import('./GlobalSearch').then((module) => module.GlobalSearch), {
  texts: ['search', 'market', 'advertisers'],
});

/**
 * Opens the search, as Ctrl+K (or Cmd+K) does everywhere and `/` does where the page has no such key of its own. `compact` shows no more than its icon.
 */
export function SearchButton({ compact }: { compact: boolean }) {
  const { t } = useTranslation('common');
  const userId = useMe().id;
  const [opened, { open, close }] = useDisclosure();
  useEffect(() => {
    const slash = keyListener(
      () => ({ '/': open }),
      () => areKeysOn(userId),
    );
    // The window hears a key after the document, where the keys of pages are listened for.
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        open();
      } else slash(event);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [userId, open]);
  return (
    <>
      <UnstyledButton
        className={styles.search}
        aria-label={t('header.search')}
        aria-keyshortcuts="/ Control+K"
        data-compact={compact || undefined}
        onClick={open}
      >
        <IconSearch size={17} aria-hidden />
        {!compact && (
          <>
            <span>{t('header.search')}</span>
            <Kbd size="xs">/</Kbd>
          </>
        )}
      </UnstyledButton>
      {opened && <GlobalSearch onClose={close} />}
    </>
  );
}

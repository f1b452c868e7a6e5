import { UnstyledButton } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '~/i18n/language';
import styles from './Header.module.css';

/** Switches the language; the address then names it. */
export function LanguageSwitch() {
  const { t, i18n } = useTranslation('common');
  const navigate = useNavigate();
  return (
    <fieldset className={styles.switch} aria-label={t('header.language')}>
      {LANGUAGES.map((language) => (
        <UnstyledButton
          key={language}
          className={styles.choice}
          aria-pressed={i18n.language === language}
          lang={language}
          onClick={() =>
            navigate({ to: '.', search: (all: object) => ({ ...all, lng: language }), replace: true } as never)
          }
        >
          {language.toUpperCase()}
        </UnstyledButton>
      ))}
    </fieldset>
  );
}

import { Alert } from '@mantine/core';
import { IconAlertCircle, IconCheck, IconPoint } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { PasswordRule } from '~/lib/validation';
import styles from './authForm.module.css';

interface Props {
  /** For `aria-describedby` of the field. */
  id: string;
  password: string;
  rules: readonly PasswordRule[];
  /** Text of a rule. */
  text: (key: PasswordRule['key']) => string;
}

/** The rules of a password, each ticked once `password` meets it; `text` gives the words of a rule. Point the field's `aria-describedby` to `id`. */
export function PasswordChecklist({ id, password, rules, text }: Props) {
  const { t } = useTranslation('password');
  return (
    <ul id={id} className={styles.rules} aria-label={t('rules')}>
      {rules.map(({ key, holds }) => {
        const kept = holds(password);
        const Mark = kept ? IconCheck : IconPoint;
        return (
          <li key={key} className={styles.rule} data-kept={kept}>
            <Mark size={16} stroke={kept ? 2.6 : 2} aria-hidden />
            {text(key)}
            <span className={styles.spoken}>{kept ? t('kept') : t('open')}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** The errors of a submitted form, to show above it; renders nothing if there are none. */
export function ErrorList({ errors, title }: { errors: readonly string[]; title?: string }) {
  if (errors.length === 0) return null;
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert" title={title}>
      <ul className={styles.errors}>
        {errors.map((error) => (
          <li key={error}>{error}</li>
        ))}
      </ul>
    </Alert>
  );
}

import { Alert, Tooltip } from '@mantine/core';
import { IconMailExclamation } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Undelivered } from '~/api/queries/users';
import { useFormats } from '~/ui/useFormats';
import styles from './users.module.css';

const ICON_SIDE = 16;

/** Beside an address in a list. */
export function UndeliveredMark({ mail }: { mail: Undelivered }) {
  const { t } = useTranslation('users');
  const text = t('undelivered.short', { reason: mail.reason });
  return (
    <Tooltip label={text} multiline maw={360}>
      <span role="img" aria-label={text} className={styles.undelivered}>
        <IconMailExclamation size={ICON_SIDE} aria-hidden />
      </span>
    </Tooltip>
  );
}

/** Above the form of a user. */
export function UndeliveredNotice({ mail }: { mail: Undelivered }) {
  const { t } = useTranslation('users');
  const fmt = useFormats();
  const kind = t(`undelivered.kind.${mail.kind as 'reset'}`);
  return (
    <Alert color="orange" icon={<IconMailExclamation />} title={t('undelivered.title')} role="status">
      {t('undelivered.text', { kind, at: fmt.dateTime(mail.at), reason: mail.reason })}
      <br />
      {t('undelivered.check')}
    </Alert>
  );
}

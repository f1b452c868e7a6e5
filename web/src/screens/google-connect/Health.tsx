import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { GoogleItem } from '~/api/queries/google';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './GoogleConnect.module.css';

const TONES: Record<string, Tone> = { ok: 'good', failing: 'warn', revoked: 'bad' };

/** How the access of an account is, with the last error as a tooltip, and the age of its newest data. */
export function Health({ item, age = true }: { item: GoogleItem; age?: boolean }) {
  const { t } = useTranslation('google');
  const fmt = useFormats();
  const health = item.health === 'failing' || item.health === 'revoked' ? item.health : 'ok';
  const badge = <StatusBadge tone={TONES[health] ?? 'idle'}>{t(`health.${health}`)}</StatusBadge>;
  return (
    <span className={styles.health}>
      {item.lastError ? (
        <Tooltip label={item.lastError} multiline maw={360}>
          <span>{badge}</span>
        </Tooltip>
      ) : (
        badge
      )}
      {age && (
        <span className={styles.dim}>
          {item.lastOk ? t('lastOk', { ago: fmt.ago(item.lastOk, new Date()) }) : t('neverRead')}
        </span>
      )}
    </span>
  );
}

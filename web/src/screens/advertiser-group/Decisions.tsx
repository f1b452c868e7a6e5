import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AdvertiserGroup } from '~/api/queries/advertiserGroups';
import { useFormats } from '~/ui/useFormats';
import styles from './AdvertiserGroup.module.css';
import { linkKey } from './links';

interface Props {
  group: AdvertiserGroup;
  saving: boolean;
  onForget(one: string, other: string): void;
}

/** What was said of the group's domains, the latest first; a member of staff takes it back. Nothing where nothing was said. */
export function Decisions({ group, saving, onForget }: Props) {
  const { t } = useTranslation('advertiserGroup');
  const fmt = useFormats();
  const { decisions } = group.data;
  if (decisions.length === 0) return null;
  return (
    <section className={styles.card} aria-labelledby="decisions">
      <h2 id="decisions">{t('decisions')}</h2>
      <ul className={styles.decisions}>
        {decisions.map(({ one, other, verdict, at }) => (
          <li key={linkKey({ one, other })}>
            <span>
              {one} – {other}
              <span className={styles.dim}>
                {t(verdict === 'same' ? 'same' : 'different')} · {fmt.minute(at)}
              </span>
            </span>
            {group.meta.mayDecide && (
              <Button
                size="compact-xs"
                variant="subtle"
                disabled={saving}
                aria-label={t('takeBackOf', { one, other })}
                onClick={() => onForget(one, other)}
              >
                {t('takeBack')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

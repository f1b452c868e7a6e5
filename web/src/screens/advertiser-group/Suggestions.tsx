import { Button, UnstyledButton } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AdvertiserGroup, GroupLink, LinkVerdict } from '~/api/queries/advertiserGroups';
import { useFormats } from '~/ui/useFormats';
import styles from './AdvertiserGroup.module.css';
import { KindIcon } from './KindIcon';
import { candidateOf, linkKey } from './links';

interface Props {
  group: AdvertiserGroup;
  chosen: GroupLink | undefined;
  saving: boolean;
  onChoose(link: GroupLink): void;
  onDecide(link: GroupLink, verdict: LinkVerdict): void;
}

/** The domains that may belong to the group, the surest first, each with what speaks for it; a member of staff says whether it does. */
export function Suggestions({ group, chosen, saving, onChoose, onDecide }: Props) {
  const { t } = useTranslation('advertiserGroup');
  const fmt = useFormats();
  const suggested = group.data.links.filter(({ accepted }) => !accepted);
  return (
    <section className={styles.card} aria-labelledby="suggestions">
      <header className={styles.cardHead}>
        <h2 id="suggestions">{t('suggestions', { count: suggested.length })}</h2>
        <span className={styles.dim}>{t('personDecides')}</span>
      </header>
      {suggested.length === 0 && <p className={styles.dim}>{t('noSuggestions')}</p>}
      <ul className={styles.suggestions}>
        {suggested.map((link) => {
          const candidate = candidateOf(link, group.data);
          return (
            <li key={linkKey(link)} data-chosen={link === chosen || undefined}>
              <UnstyledButton
                className={styles.candidate}
                aria-pressed={link === chosen}
                onClick={() => onChoose(link)}
              >
                <strong>{candidate}</strong>
                <span className={styles.share}>{fmt.share(link.confidence)}</span>
              </UnstyledButton>
              <ul className={styles.reasons}>
                {link.evidence.map(({ kind, count }) => (
                  <li key={kind}>
                    <KindIcon kind={kind} />
                    {t(`found.${kind}`, { count, defaultValue: kind })}
                  </li>
                ))}
              </ul>
              {group.meta.mayDecide && (
                <div className={styles.decide}>
                  <Button
                    size="compact-sm"
                    leftSection={<IconCheck size={14} />}
                    disabled={saving}
                    aria-label={t('sameOf', { domain: candidate })}
                    onClick={() => onDecide(link, 'same')}
                  >
                    {t('same')}
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="default"
                    leftSection={<IconX size={14} />}
                    disabled={saving}
                    aria-label={t('differentOf', { domain: candidate })}
                    onClick={() => onDecide(link, 'different')}
                  >
                    {t('different')}
                  </Button>
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

import { Button } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { GroupLink, LinkVerdict } from '~/api/queries/advertiserGroups';
import { useFormats } from '~/ui/useFormats';
import styles from './AdvertiserGroup.module.css';
import { KindIcon } from './KindIcon';

interface Props {
  link: GroupLink;
  mayDecide: boolean;
  saving: boolean;
  onDecide(link: GroupLink, verdict: LinkVerdict): void;
}

/** What speaks for and against a link, with a capture of either domain for each thing. */
export function EvidencePanel({ link, mayDecide, saving, onDecide }: Props) {
  const { t } = useTranslation('advertiserGroup');
  const fmt = useFormats();
  const capture = (requestID: string, domain: string) =>
    requestID && (
      <Link to="/terms/capture/$requestID" params={{ requestID }} search={{ domain }} className={styles.link}>
        {domain}
      </Link>
    );
  return (
    <section className={styles.card} aria-labelledby="evidence">
      <header className={styles.cardHead}>
        <h2 id="evidence">{t('evidence')}</h2>
        <strong>{fmt.share(link.confidence)}</strong>
      </header>
      <p className={styles.dim}>
        {link.one} – {link.other}
      </p>
      <ul className={styles.evidence}>
        {link.evidence.map(({ kind, count, ads, weight, values }) => (
          <li key={kind}>
            <KindIcon kind={kind} size={18} />
            <div>
              <strong>{t(`found.${kind}`, { count, defaultValue: kind })}</strong>
              <span className={styles.dim}>{t('shownBy', { count: ads })}</span>
              <ul className={styles.values}>
                {values.map(({ value, oneCapture, otherCapture }) => (
                  <li key={value}>
                    <code>{value}</code> {capture(oneCapture, link.one)} {capture(otherCapture, link.other)}
                  </li>
                ))}
              </ul>
            </div>
            <span className={styles.weight}>{fmt.points(weight)}</span>
          </li>
        ))}
        {link.against.map(({ kind, weight }) => (
          <li key={kind} className={styles.against}>
            <IconScale size={18} aria-hidden />
            <div>
              <strong>{t(`against.${kind}`, { defaultValue: kind })}</strong>
            </div>
            <span className={styles.weight}>{fmt.points(-weight)}</span>
          </li>
        ))}
      </ul>
      {link.accepted && mayDecide && (
        <Button size="compact-sm" variant="default" disabled={saving} onClick={() => onDecide(link, null)}>
          {t('part')}
        </Button>
      )}
    </section>
  );
}

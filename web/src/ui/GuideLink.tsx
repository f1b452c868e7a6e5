import { Link, useMatches, useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import styles from './feedback.module.css';

/** A link to the page of the guide about the current screen, which leaves a frame; nothing on screens without one, and outside of a router. */
export const GuideLink = () => (useRouter({ warn: false }) ? <ScreenLink /> : null);

function ScreenLink() {
  const { t } = useTranslation('common');
  const page = useMatches({ select: (matches) => matches.at(-1)?.staticData.guide });
  return page ? (
    <Link
      className={styles.guide}
      to="/help/$page"
      params={{ page }}
      target={window.parent === window ? undefined : '_blank'}
    >
      {t('guide')}
    </Link>
  ) : null;
}

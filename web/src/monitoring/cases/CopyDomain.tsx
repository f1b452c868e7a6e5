import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Hint } from '~/ui/buttons';
import styles from './cases.module.css';

/** After a click, the confirmation comes with this delay and stays for the second time (S0, section 9). */
const DELAY_MS = 500;
const SHOWN_MS = 1_500;

type Outcome = 'copied' | 'failed';

/** A button that copies a domain, and confirms it half a second later for a second and a half. */
export function CopyDomain({ domain }: { domain: string }) {
  const { t } = useTranslation(['actions', 'list']);
  // An object, so that a second click starts the times again.
  const [outcome, setOutcome] = useState<{ of: Outcome }>();
  const [shown, setShown] = useState<Outcome>();

  useEffect(() => {
    if (!outcome) return;
    const begin = setTimeout(() => setShown(outcome.of), DELAY_MS);
    const end = setTimeout(() => {
      setShown(undefined);
      setOutcome(undefined);
    }, DELAY_MS + SHOWN_MS);
    return () => {
      clearTimeout(begin);
      clearTimeout(end);
    };
  }, [outcome]);

  const copy = async () => {
    setShown(undefined);
    try {
      // Absent outside secure contexts.
      await navigator.clipboard.writeText(domain);
      setOutcome({ of: 'copied' });
    } catch {
      setOutcome({ of: 'failed' });
    }
  };

  const label = t('card.copy', { domain });
  const text = shown && (shown === 'copied' ? t('domainCopied') : t('list:copyFailed'));
  const Mark = shown === 'copied' ? IconCheck : shown === 'failed' ? IconAlertTriangle : IconCopy;
  return (
    <Hint label={text ?? label} opened={shown !== undefined}>
      <button type="button" className={styles.tool} aria-label={label} onClick={() => void copy()}>
        <Mark size={15} aria-hidden />
        <span className="visually-hidden" aria-live="polite">
          {text}
        </span>
      </button>
    </Hint>
  );
}

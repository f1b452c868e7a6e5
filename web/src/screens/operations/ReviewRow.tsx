import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Review } from '~/api/queries/operations';
import { useFormats } from '~/ui/useFormats';
import { Place } from './Place';
import styles from './Reviews.module.css';
import { useKnownWords } from './words';

interface Props {
  review: Review;
  /** When the list was asked for. */
  now: Date;
  shown: boolean;
  marked: boolean;
  onShow: () => void;
  onMark: (on: boolean) => void;
}

/** A capture of the list: what was searched, where, and what is wrong. */
export function ReviewRow({ review, now, shown, marked, onShow, onMark }: Props) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const known = useKnownWords();
  const { term, reason, date } = review;
  return (
    <li className={styles.row} data-shown={shown || undefined}>
      <Checkbox
        size="xs"
        aria-label={t('review.one', { term })}
        checked={marked}
        onChange={(event) => onMark(event.currentTarget.checked)}
      />
      <button type="button" className={styles.open} aria-pressed={shown} onClick={onShow}>
        <span className={styles.term}>{term}</span>
        <span className={styles.when} title={fmt.dateTime(date)}>
          {fmt.ago(date, now)}
        </span>
        <span className={styles.reason}>{reason && known(`home:reason.${reason}`, reason)}</span>
        <Place {...review} />
      </button>
    </li>
  );
}

import { IconForms } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './composer.module.css';
import { holesOf, piecesOf } from './holes';

/** Characters, as many as the server takes. */
const LONGEST_BODY = 50_000;

interface Props {
  value: string;
  field: RefObject<HTMLTextAreaElement | null>;
  error: string | undefined;
  onChange(value: string): void;
  onBlur(): void;
}

/** The text of a mail, as high as it is long; the gaps that its template left are marked. */
export function BodyField({ value, field, error, onChange, onBlur }: Props) {
  const { t } = useTranslation('mailsOfCases');
  return (
    <div className={styles.bodyPlace}>
      {/* Behind the field: gives it its height, and its gaps their colour. */}
      <div className={styles.mirror} aria-hidden>
        {piecesOf(value).map(({ text, hole }, at) =>
          hole ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
        )}
        {'\n '}
      </div>
      <textarea
        ref={field}
        className={styles.bodyField}
        aria-label={t('body')}
        aria-invalid={error !== undefined}
        maxLength={LONGEST_BODY}
        placeholder={t('bodyPlaceholder')}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
      />
    </div>
  );
}

/** Puts the caret on a gap of a field. */
export function goToHole(field: HTMLTextAreaElement | HTMLInputElement | null, at = 0): void {
  const hole = holesOf(field?.value ?? '')[at];
  if (!field || !hole) return;
  field.focus({ preventScroll: true });
  field.setSelectionRange(hole.start, hole.end);
  // A field does not scroll to what is selected in it; its mirror has the gap as an element.
  const mirrored = field.previousElementSibling?.querySelectorAll('mark')[at] ?? field;
  mirrored.scrollIntoView({ block: 'nearest' });
}

interface HoleListProps {
  subject: string;
  body: string;
  onGo(place: 'subject' | 'body', at: number): void;
}

/** The gaps that are to be filled before a mail can leave; each leads to its place. Shows nothing without any. */
export function HoleList({ subject, body, onGo }: HoleListProps) {
  const { t } = useTranslation('mailsOfCases');
  const holes = [
    ...holesOf(subject).map(({ name }, at) => ({ name, place: 'subject' as const, at })),
    ...holesOf(body).map(({ name }, at) => ({ name, place: 'body' as const, at })),
  ];
  if (holes.length === 0) return null;
  return (
    <div className={styles.holes} role="status">
      <IconForms size={16} aria-hidden />
      <span>{t('holes', { count: holes.length })}</span>
      {holes.map(({ name, place, at }) => (
        <button key={`${place} ${at}`} type="button" className={styles.hole} onClick={() => onGo(place, at)}>
          {name}
        </button>
      ))}
    </div>
  );
}

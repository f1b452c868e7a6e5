import { ActionIcon, Button, Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconChevronLeft, IconChevronRight, IconMailForward } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import {
  type MailTemplate,
  type PreviewBody,
  previewCasesQuery,
  sendTestMail,
  templatePreviewQuery,
} from '~/api/queries/mailTemplates';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { EngineIcon, Flag } from '~/ui/marketIcons';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { partsOf } from './letter';
import styles from './MailTemplates.module.css';

/** After the last key. */
const DELAY_MS = 400;

interface Props {
  draft: Omit<PreviewBody, 'actionID'>;
  /** The cases of this brand; null for those of all. */
  brandId: number | null;
  /** The stored template, for what came of its mails. */
  template: MailTemplate | undefined;
  /** Called to write words for a hole; undefined for readers. */
  onFallback: ((hole: string) => void) | undefined;
}

/** A template filled in on one of the real cases, with its holes marked, and what came of its mails. */
export function TemplatePreview({ draft, brandId, template, onFallback }: Props) {
  const { t } = useTranslation('mailTemplates');
  const { data: cases, isError, refetch } = useQuery(previewCasesQuery(brandId));
  const [wanted, setNumber] = useState(0);
  // Another brand may have fewer cases.
  const number = Math.min(wanted, Math.max(0, (cases?.length ?? 0) - 1));
  const shown = cases?.[number];
  const [asked] = useDebouncedValue(draft, DELAY_MS);
  const body = { ...asked, actionID: shown?.id ?? 0 };
  const isReady = shown !== undefined && asked.subject.trim() !== '' && asked.body.trim() !== '';
  const { data: letter, error } = useQuery({ ...templatePreviewQuery(body), enabled: isReady });
  return (
    <section className={styles.card} aria-label={t('preview')}>
      <div className={styles.cardHead}>
        <h2 className={styles.cardTitle}>{t('preview')}</h2>
        {cases && cases.length > 0 && (
          <span className={styles.leaf}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('earlierCase')}
              disabled={number === 0}
              onClick={() => setNumber(number - 1)}
            >
              <IconChevronLeft size={16} />
            </ActionIcon>
            {t('place', { number: number + 1, total: cases.length })}
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('nextCase')}
              disabled={number >= cases.length - 1}
              onClick={() => setNumber(number + 1)}
            >
              <IconChevronRight size={16} />
            </ActionIcon>
          </span>
        )}
      </div>
      {!cases && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />)}
      {cases?.length === 0 && <p className={styles.dim}>{t('noCase')}</p>}
      {shown && (
        <p className={styles.case}>
          <Flag code={shown.country ?? ''} />
          <EngineIcon engine={shown.engine ?? ''} />
          {[shown.brand, shown.domain].filter(Boolean).join(' / ')}
        </p>
      )}
      {error ? (
        <Refusal error={error} />
      ) : (
        letter && (
          <>
            {letter.holes.length > 0 && <HoleNotice holes={letter.holes} onFallback={onFallback} />}
            <dl className={styles.envelope}>
              <dt>{t('to')}</dt>
              <dd>{letter.to.length > 0 ? letter.to.join(', ') : t('nobody')}</dd>
              <dt>{t('field.subject')}</dt>
              <dd>
                <Letter text={letter.subject} />
              </dd>
            </dl>
            <div className={styles.letter} data-testid="letter">
              <Letter text={letter.body} />
            </div>
          </>
        )
      )}
      {isReady && <TestMail body={body} />}
      {template && <Outcome template={template} />}
    </section>
  );
}

/** A filled in text, in which what is missing is marked. */
function Letter({ text }: { text: string }) {
  return partsOf(text).map((part, number) =>
    part.hole === undefined ? (
      part.text
    ) : (
      <mark key={number} className={styles.hole}>
        {part.hole}
      </mark>
    ),
  );
}

/** Says which values are missing, so that nothing is sent, and offers to write words for the first of them. */
function HoleNotice({ holes, onFallback }: { holes: readonly string[]; onFallback: Props['onFallback'] }) {
  const { t } = useTranslation('mailTemplates');
  const [first] = holes;
  return (
    <div className={styles.notice} role="status">
      <IconAlertTriangle size={18} aria-hidden />
      <span>
        <strong>{t('holes', { count: holes.length, names: holes.join(', ') })}</strong> {t('refused')}
      </span>
      {onFallback && first !== undefined && (
        <Button size="compact-sm" variant="default" onClick={() => onFallback(first)}>
          {t('addFallback')}
        </Button>
      )}
    </div>
  );
}

/** Why a template cannot be filled in, in the server's words. */
function Refusal({ error }: { error: Error }) {
  const { t } = useTranslation('mailTemplates');
  const common = useTranslation('common').t;
  const fields = error instanceof ApiError ? error.fields : {};
  const why = Object.values(fields).flat()[0] ?? errorText(error, common);
  return (
    <div className={styles.notice} data-bad role="alert">
      <IconAlertTriangle size={18} aria-hidden />
      <span>
        <strong>{t('unfit')}</strong> {why}
      </span>
    </div>
  );
}

/** Sends what the preview shows to the reader. */
function TestMail({ body }: { body: PreviewBody }) {
  const { t } = useTranslation('mailTemplates');
  const common = useTranslation('common').t;
  const send = useMutation({
    mutationFn: () => sendTestMail(body),
    onSuccess: () => toast.success(t('testSent')),
    onError: (error) => toast.error(errorText(error, common)),
  });
  return (
    <div className={styles.buttons}>
      <Button
        variant="default"
        leftSection={<IconMailForward size={16} />}
        loading={send.isPending}
        onClick={() => send.mutate()}
      >
        {t('test')}
      </Button>
    </div>
  );
}

/** What came of the mails of a version. */
function Outcome({ template }: { template: MailTemplate }) {
  const { t } = useTranslation('mailTemplates');
  const fmt = useFormats();
  const { sent, replied, accepted, reappeared, version } = template;
  const share = (count: number) => (sent > 0 ? fmt.share(count / sent) : '–');
  const figures = [
    { value: fmt.count(sent), label: t('outcome.sent', { version }) },
    { value: share(replied), label: t('outcome.replied') },
    { value: share(accepted), label: t('outcome.accepted') },
    { value: share(reappeared), label: t('outcome.reappeared') },
  ];
  return (
    <ul className={styles.outcome}>
      {figures.map(({ value, label }) => (
        <li key={label}>
          <strong>{value}</strong>
          <span className={styles.dim}>{label}</span>
        </li>
      ))}
    </ul>
  );
}

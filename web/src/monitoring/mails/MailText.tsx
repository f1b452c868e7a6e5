import { Button } from '@mantine/core';
import { IconDots, IconFileTypeHtml } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Mail } from '~/api/queries/caseMails';
import { useFormats } from '~/ui/useFormats';
import styles from './mails.module.css';
import { lineCount, splitQuotes } from './quotes';

/** Longer mails show their beginning only, until they are asked for: such a text would stop the scrolling. */
const LONGEST_SHOWN = 100_000;

/** Characters of the beginning. */
const BEGINNING = 4_000;

/** Allows what the sanitised part of a mail needs, and nothing that is loaded from elsewhere. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const asDocument = (html: string): string =>
  `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">` +
  '<style>body{margin:0;font:15px/1.5 system-ui,sans-serif;color:#15182b;background:#fff;overflow-wrap:anywhere}' +
  `a{pointer-events:none;color:inherit}img,table{max-width:100%}</style>${html}`;

/** The text of a mail, its quotes folded; a received one as its sender laid it out, if asked for or if there is no text. */
export function MailText({ mail: { body, html } }: { mail: Pick<Mail, 'body' | 'html'> }) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const hasText = body.trim() !== '';
  const [laidOut, setLaidOut] = useState(!hasText);
  const [whole, setWhole] = useState(false);
  const long = body.length > LONGEST_SHOWN;
  const shown = long && !whole ? body.slice(0, BEGINNING) : body;
  return (
    <div className={styles.content}>
      {html && laidOut ? (
        <iframe className={styles.html} sandbox="" srcDoc={asDocument(html)} title={t('laidOut')} />
      ) : (
        splitQuotes(shown).map(({ text, quoted }, at) =>
          quoted ? <Quote key={at} text={text} /> : <Paragraphs key={at} text={text} />,
        )
      )}
      {long && !whole && !laidOut && (
        <Button size="compact-sm" variant="light" onClick={() => setWhole(true)}>
          {t('showLong', { size: fmt.count(Math.round(body.length / 1_000)) })}
        </Button>
      )}
      {html && hasText && (
        <button type="button" className={styles.quiet} onClick={() => setLaidOut(!laidOut)}>
          <IconFileTypeHtml size={15} aria-hidden />
          {t(laidOut ? 'asText' : 'asLaidOut')}
        </button>
      )}
    </div>
  );
}

/** A text by its blank lines. */
function Paragraphs({ text }: { text: string }) {
  return text.split(/\n\s*\n/).map((paragraph, at) => <p key={at}>{paragraph}</p>);
}

/** What a mail repeats of an earlier one, folded. */
function Quote({ text }: { text: string }) {
  const { t } = useTranslation('mailsOfCases');
  const [shown, setShown] = useState(false);
  const id = useId();
  return (
    <>
      <button
        type="button"
        className={styles.fold}
        aria-expanded={shown}
        aria-controls={id}
        onClick={() => setShown(!shown)}
      >
        <IconDots size={16} aria-hidden />
        {t('quoted', { count: lineCount(text) })}
      </button>
      <blockquote id={id} className={styles.quote} hidden={!shown}>
        {shown && text}
      </blockquote>
    </>
  );
}

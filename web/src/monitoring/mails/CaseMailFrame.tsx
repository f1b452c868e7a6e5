import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type CaseRow, reloadCases } from '~/api/queries/actions';
import { applyReport, mintTicket } from '~/api/queries/caseMails';
import { isStaff, useMe } from '~/api/session';
import { areKeysOn, keyListener } from '~/lib/keys';
import { place } from '~/list/cards/place';
import { MAILS_ASKED } from './askMails';
import styles from './CaseMailFrame.module.css';
import { asFrameMessage, CONTACTS, type FrameMessage, type HostMessage, mailsPath } from './frameProtocol';

/** Opens the composer, which then has the focus. */
const ANSWER = 'r';

/** Keys of the mails, which the frame gets when they are pressed beside it: next, previous, open, unread, answer. */
const HANDED_ON = ['j', 'k', 'o', 'u', ANSWER] as const;

/** What buttons of the page ask for, and the key that does it in the frame. */
const PRESSED: Readonly<Record<string, string>> = { answer: ANSWER, contacts: CONTACTS };

interface Props {
  row: CaseRow;
}

/**
 * The mails of a case in a frame, as high as the box around it. It hands on the keys of the mails, and passes keys of the case that are pressed in the
 * frame to the page as its own. Where another dashboard has the mails, the frame is a page of that, which presses no keys here: only people accept or
 * refuse. Messages that are not of the frame and its exact origin are ignored (decision D6).
 */
export function CaseMailFrame({ row: { id, mailsPage } }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const queries = useQueryClient();
  const me = useMe();
  const getsTicket = isStaff(me);
  const frame = useRef<HTMLIFrameElement>(null);
  const src = mailsPage ?? `${window.location.origin}${mailsPath(id)}`;
  const { origin } = new URL(src);
  const isForeign = origin !== window.location.origin;

  useEffect(() => {
    const send = (message: HostMessage) => frame.current?.contentWindow?.postMessage(message, origin);
    const act = async (message: FrameMessage) => {
      switch (message.type) {
        case 'ready':
          // Companies get no tickets.
          if (!getsTicket) return;
          return send({ type: 'auth', userId: me.id, token: (await mintTicket(id)).token });
        case 'key':
          if (isForeign) return;
          return document.body.dispatchEvent(new KeyboardEvent('keydown', { key: message.key, bubbles: true }));
        case 'status':
          place.clear();
          return applyReport(queries, id, message.data);
        case 'stale':
          place.clear();
          return reloadCases(queries);
      }
    };
    const handOn = (key: string) => {
      send({ type: 'key', key });
      if (key === ANSWER || key === CONTACTS) frame.current?.focus();
    };
    const keys = Object.fromEntries(HANDED_ON.map((key) => [key, () => handOn(key)]));
    const listen = keyListener(
      () => keys,
      () => areKeysOn(me.id),
    );
    const receive = ({ origin: from, source, data }: MessageEvent) => {
      if (from !== origin || source !== frame.current?.contentWindow) return;
      const message = asFrameMessage(data);
      // Our own page has the session and does without a ticket; a case that does not load again stays as it is.
      if (message) void act(message).catch(() => undefined);
    };
    const press = (event: Event) => {
      const key = event instanceof CustomEvent ? PRESSED[String(event.detail)] : undefined;
      if (key) handOn(key);
    };
    window.addEventListener('message', receive);
    document.addEventListener(MAILS_ASKED, press);
    document.addEventListener('keydown', listen);
    return () => {
      window.removeEventListener('message', receive);
      document.removeEventListener(MAILS_ASKED, press);
      document.removeEventListener('keydown', listen);
    };
  }, [id, me.id, getsTicket, origin, isForeign, queries]);

  return <iframe ref={frame} className={styles.frame} src={src} title={t('frame')} />;
}

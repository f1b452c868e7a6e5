import type { CaseMails, Mail } from '~/api/queries/caseMails';
import type { Writing } from './composer/localDraft';
import { isReachable } from './contacts';
import { shownState } from './deliveries';
import { baseSubject } from './thread';

/** An empty mail to all contacts that can be written to. */
const blank = ({ contacts, language }: CaseMails): Writing => ({
  to: contacts.filter(isReachable).map(({ id }) => id),
  subject: '',
  body: '',
  templateId: null,
  language,
  attachments: [],
});

/** What a new mail of a case begins with: an answer to whoever wrote last, or else a first mail to every contact. */
export function freshMail(data: CaseMails): Writing {
  const mails = data.mails.filter(({ status }) => status !== 'draft');
  const last = mails.at(-1);
  const begun = blank(data);
  if (!last) return begun;
  const received = mails.findLast(({ direction, automatic }) => direction === 'in' && automatic !== 'certain');
  const sender = data.contacts.find(
    (contact) => isReachable(contact) && contact.email.toLowerCase() === received?.from?.address.toLowerCase(),
  );
  const subject = baseSubject((received ?? last).subject);
  return {
    ...begun,
    subject: subject === '' ? '' : `Re: ${subject}`,
    ...(sender && { to: [sender.id] }),
    language: (received ?? last).language ?? data.language,
  };
}

/** The text of a mail again, to those recipients that it did not reach. */
export function sameMail(mail: Mail, data: CaseMails): Writing {
  const missed = new Set(
    mail.deliveries
      .filter((one) => ['failed', 'unknown', 'lost'].includes(shownState(one)))
      .map(({ contactId }) => contactId),
  );
  return {
    ...blank(data),
    to: data.contacts.filter((contact) => missed.has(contact.id) && isReachable(contact)).map(({ id }) => id),
    subject: mail.subject,
    body: mail.body,
    language: mail.language ?? data.language,
  };
}

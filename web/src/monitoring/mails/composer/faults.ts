import type { TFunction } from 'i18next';
import type { Contact } from '~/api/queries/caseMails';
import { isReachable } from '../contacts';
import { goToHole } from './BodyField';
import { holesOf } from './holes';
import type { Writing } from './localDraft';
import type { FieldErrors } from './useSend';

/** What keeps a mail from being sent, by field; empty for one that can be. */
export function faultsOf(
  { to, subject, body }: Writing,
  contacts: readonly Contact[],
  t: TFunction<'mailsOfCases'>,
): FieldErrors {
  const reachable = new Set(contacts.filter(isReachable).map(({ id }) => id));
  const found: FieldErrors = {};
  if (to.length === 0) found.to = t('need.to');
  else if (to.some((id) => !reachable.has(id))) found.to = t('need.reachable');
  if (subject.trim() === '') found.subject = t('need.subject');
  if (body.trim() === '') found.body = t('need.body');
  const [inSubject, inBody] = [holesOf(subject).length, holesOf(body).length];
  if (inSubject > 0) found.subject = t('need.holes', { count: inSubject + inBody });
  else if (inBody > 0) found.body = t('need.holes', { count: inBody });
  return found;
}

/** Puts the caret on the first gap, else into the first field that is at fault. */
export function goToFault(
  found: FieldErrors,
  writing: Writing,
  subject: HTMLInputElement | null,
  body: HTMLTextAreaElement | null,
): void {
  if (holesOf(writing.subject).length > 0) goToHole(subject);
  else if (holesOf(writing.body).length > 0) goToHole(body);
  else if (found.subject) subject?.focus();
  else if (found.body) body?.focus();
}

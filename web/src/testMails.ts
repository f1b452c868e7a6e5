import type { CaseRow } from '~/api/queries/actions';
import type { CaseMails, Contact, Delivery, Mail } from '~/api/queries/caseMails';
import { type Me, meQuery } from '~/api/session';

/** Data of component tests: a case with three mails and its contacts. */

export const operator = {
  id: 3,
  email: 'ann@vigie.example',
  firstName: 'Ann',
  roles: [{ name: 'operator' }],
} as never as Me;
export const companyUser = { id: 4, email: 'bo@brivault.example', firstName: 'Bo', roles: [] } as never as Me;
export const meKey = meQuery.queryKey;

export const delivery = (change: Partial<Delivery> = {}): Delivery => ({
  id: 1,
  contactId: 1,
  address: 'j.martin@nordmart.example',
  state: 'sent',
  reason: null,
  code: null,
  text: null,
  notBefore: null,
  settledAt: null,
  ruling: null,
  bouncedAt: null,
  openedAt: null,
  ...change,
});

const nothing: unknown = JSON.parse('{"then":null}');

export const mailOf = (id: number, change: Partial<Mail> = {}): Mail => ({
  id,
  direction: 'out',
  kind: null,
  reminder: null,
  status: 'sent',
  subject: 'Your ads',
  body: 'Hello.',
  html: null,
  from: null,
  author: { id: 3, name: 'Ann Archer' },
  createdDate: '2025-09-02T09:00:00.000Z',
  sendedDate: null,
  receivedDate: null,
  open: true,
  readBy: null,
  automatic: 'no',
  undoUntil: null,
  sendAt: null,
  ...(nothing as Pick<Mail, 'then'>),
  partial: false,
  templateType: null,
  language: 'en',
  attachments: [],
  deliveries: [delivery({ id })],
  ...change,
});

export const receivedMail = (id: number, change: Partial<Mail> = {}): Mail =>
  mailOf(id, {
    direction: 'in',
    status: 'received',
    author: null,
    deliveries: [],
    from: { address: 'j.martin@nordmart.example', name: 'Julien Martin' },
    subject: 'RE: Your ads',
    body: 'We ask our agency.',
    receivedDate: '2025-10-04T10:00:00.000Z',
    open: false,
    ...change,
  });

export const contact = (id: number, email: string, change: Partial<Contact> = {}): Contact => ({
  id,
  email,
  name: null,
  state: 'active',
  suppressed: null,
  lastBounce: null,
  dealer: 'host',
  ...change,
});

export const contacts = [
  contact(1, 'j.martin@nordmart.example', { name: 'Julien Martin' }),
  contact(2, 'legal@nordmart.example', { state: 'bounced', lastBounce: '2025-09-17T07:00:00.000Z' }),
  contact(3, 'desk@nordgroup.example', { dealer: 'master' }),
];

export const mailsOf = (change: Partial<CaseMails> = {}): CaseMails => ({
  mails: [
    mailOf(1, { kind: 'notification' }),
    mailOf(2, {
      kind: 'reminder',
      reminder: 1,
      author: null,
      createdDate: '2025-09-17T07:00:00.000Z',
      deliveries: [
        delivery({ id: 2 }),
        delivery({ id: 3, contactId: 2, address: 'legal@nordmart.example', bouncedAt: '2025-09-17T07:01:00.000Z' }),
      ],
    }),
    receivedMail(3),
  ],
  draft: null,
  contacts,
  siblings: [],
  language: 'en',
  ...change,
});

const link = (path: string) => ({ method: 'POST', href: `/api/actions/${path}?actionID=7` });

export const caseRow = {
  ID: 7,
  id: '7',
  brand: 'Maison Brivault',
  domain: 'nordmart.example',
  engine: 'google',
  country: 'FR',
  countries: ['FR'],
  status: 'reminded',
  waiting: true,
  lastStatusDate: '2025-09-17T07:01:00.000Z',
  history: [
    { ID: '1', status: 'requested', date: '2025-09-02T08:00:00.000Z', previousDate: [] },
    { ID: '2', status: 'inprogress', date: '2025-09-02T09:01:00.000Z', previousDate: [] },
    { ID: '3', status: 'reminded', date: '2025-09-17T07:01:00.000Z', previousDate: [] },
  ],
  links: { accept: link('accept'), refuse: link('refuse') },
} as never as CaseRow;

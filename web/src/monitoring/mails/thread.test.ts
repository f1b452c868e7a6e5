import { describe, expect, it } from 'vitest';
import { caseRow, delivery, mailOf, mailsOf, receivedMail } from '~/testMails';
import { statesOf, troubled } from './deliveries';
import { baseSubject, lastOf, mailsAfter, openAtFirst, threadOf } from './thread';

describe('a thread', () => {
  it('is one story: mails, and the statuses that followed them', () => {
    const draft = mailOf(9, { status: 'draft' });
    const items = threadOf([...mailsOf().mails, draft], caseRow.history);
    expect(items.map((item) => (item.kind === 'mail' ? item.mail.id : item.status))).toEqual([
      'requested',
      1,
      'inprogress',
      2,
      'reminded',
      3,
    ]);
  });

  it('keeps a status after the mail of the same moment, and leaves those without a date out', () => {
    const at = '2025-09-02T09:00:00.000Z';
    const history = [
      { ID: 1, status: 'inprogress', date: at, previousDate: [] },
      { ID: 2, status: 'new', date: null, previousDate: [] },
    ];
    expect(threadOf([mailOf(1, { createdDate: at })], history).map(({ kind }) => kind)).toEqual(['mail', 'change']);
  });

  it('opens the newest three unread mails, else the last that a person wrote', () => {
    const unread = [1, 2, 3, 4].map((id) => receivedMail(id));
    expect([...openAtFirst(unread)]).toEqual([2, 3, 4]);
    const machine = receivedMail(9, { automatic: 'certain' });
    expect([...openAtFirst([mailOf(1), receivedMail(2, { open: true }), machine])]).toEqual([2]);
    expect([...openAtFirst([])]).toEqual([]);
  });

  it('knows what came after a mail by its place: a draft is older than the reply that came meanwhile', () => {
    const mails = [mailOf(1), receivedMail(11), mailOf(10)];
    expect(lastOf(mails)).toBe(10);
    expect(mailsAfter(mails, 11).map(({ id }) => id)).toEqual([10]);
    expect(mailsAfter(mails, null)).toHaveLength(3);
    expect(lastOf([mailOf(1, { status: 'draft' })])).toBeNull();
  });

  it.each([
    ['Re: RE : Your ads', 'Your ads'],
    ['TR: Vos annonces', 'Vos annonces'],
    ['Request', 'Request'],
  ])('answers %j as %j', (subject, base) => {
    expect(baseSubject(subject)).toBe(base);
  });
});

describe('deliveries', () => {
  it('count by what needs somebody first: a bounce outweighs what the server took', () => {
    const deliveries = [
      delivery({ id: 1 }),
      delivery({ id: 2, bouncedAt: '2025-09-17T07:01:00.000Z' }),
      delivery({ id: 3, state: 'unknown' }),
      delivery({ id: 4 }),
    ];
    expect(statesOf(deliveries)).toEqual([
      { state: 'unknown', count: 1 },
      { state: 'bounced', count: 1 },
      { state: 'sent', count: 2 },
    ]);
  });

  it('no longer trouble anybody once somebody has ruled', () => {
    const of = (change: object) => troubled(mailOf(1, { deliveries: [delivery({ state: 'unknown', ...change })] }));
    expect(of({})).toHaveLength(1);
    expect(of({ ruling: 'arrived' })).toHaveLength(0);
    expect(of({ ruling: 'lost' })).toHaveLength(0);
  });
});

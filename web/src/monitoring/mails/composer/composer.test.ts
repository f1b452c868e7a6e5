import { afterEach, describe, expect, it } from 'vitest';
import { delivery, mailOf, mailsOf, receivedMail } from '~/testMails';
import { freshMail, sameMail } from '../composing';
import { announcesFile } from './attachmentWords';
import { holesOf, piecesOf } from './holes';
import { isSame, localDraft, type Writing } from './localDraft';

const writing: Writing = { to: [1], subject: 'S', body: 'B', templateId: null, language: 'en', attachments: [] };

describe('gaps of a template', () => {
  it('are found with their places', () => {
    const text = 'Dear {{ contact }}, {{ads}}.';
    expect(holesOf(text).map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual([
      ['contact', '{{ contact }}'],
      ['ads', '{{ads}}'],
    ]);
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });

  it.each(['{ contact }', '{{ }}', '{{ a\n{ b }}', ''])('are none in %j', (text) => {
    expect(holesOf(text)).toEqual([]);
  });
});

describe('words that announce a file', () => {
  it.each([
    'See attached.',
    'The capture is in the attachment',
    'Vous trouverez ci-joint la liste',
    'en pièce jointe',
    'Pièces jointes : 2',
  ])('are in %j', (text) => expect(announcesFile(text)).toBe(true));

  it.each(['We are reattaching nothing', 'Rien à joindre', '> see attached', 'Detached house'])(
    'are not in %j',
    (text) => expect(announcesFile(text)).toBe(false),
  );
});

describe('the draft in this browser', () => {
  afterEach(() => window.localStorage.clear());

  it('is kept for each user and case', () => {
    localDraft.put(3, '7', { version: 2, writing });
    expect(localDraft.get(3, '7')).toEqual({ version: 2, writing });
    expect(localDraft.get(4, '7')).toBeUndefined();
    localDraft.remove(3, '7');
    expect(localDraft.get(3, '7')).toBeUndefined();
  });

  it.each(['{', '{"version":1}', '{"version":1,"writing":{"subject":1}}'])('is none where it is broken: %s', (text) => {
    window.localStorage.setItem('draft:v1:3:7', text);
    expect(localDraft.get(3, '7')).toBeUndefined();
  });

  it('is the same only with the same recipients and files', () => {
    expect(isSame(writing, { ...writing })).toBe(true);
    expect(isSame(writing, { ...writing, to: [] })).toBe(false);
  });
});

describe('a new mail', () => {
  it('answers the one who wrote last, with the subject of that mail', () => {
    expect(freshMail(mailsOf())).toMatchObject({ to: [1], subject: 'Re: Your ads', body: '' });
  });

  it('is for every contact that can be written to while nobody has answered', () => {
    expect(freshMail(mailsOf({ mails: [] }))).toMatchObject({ to: [1, 3], subject: '', language: 'en' });
    const machine = receivedMail(2, { automatic: 'certain', subject: 'Out of office' });
    expect(freshMail(mailsOf({ mails: [mailOf(1), machine] }))).toMatchObject({
      to: [1, 3],
      subject: 'Re: Out of office',
    });
  });

  it('written again goes to those that the first one missed', () => {
    const mail = mailOf(5, {
      body: 'Again',
      deliveries: [delivery({ id: 1, contactId: 1, state: 'failed' }), delivery({ id: 2, contactId: 3 })],
    });
    expect(sameMail(mail, mailsOf())).toMatchObject({ to: [1], subject: 'Your ads', body: 'Again' });
  });
});

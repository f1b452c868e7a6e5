import { onlineManager } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { CaseTemplate } from '~/api/queries/caseMails';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { MailServer, showMails } from '~/testMailServer';
import { contact, contacts, receivedMail } from '~/testMails';
import { toast } from '~/ui/toast';
import { isFramed } from '../frame';
import { leavingMail } from '../leaving';
import { localDraft } from './localDraft';

vi.mock('../frame', { spy: true });

const TEXTS = ['mailsOfCases', 'advertisers', 'market', 'list', 'common'];

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  vi.mocked(isFramed).mockReturnValue(false);
  await page.viewport(900, 900);
  await i18next.changeLanguage('en');
  await loadTexts(TEXTS);
});

afterEach(async () => {
  onlineManager.setOnline(true);
  toast.clear();
  cleanup();
  // A composer that is left saves its draft.
  await new Promise((resolve) => setTimeout(resolve));
  vi.restoreAllMocks();
  window.localStorage.clear();
  window.sessionStorage.clear();
});

const form = () => page.getByRole('form', { name: 'Write an e-mail' });
const text = () => form().getByRole('textbox', { name: 'Text' });
const subject = () => form().getByRole('textbox', { name: 'Subject' });
const press = (name: string) => userEvent.click(page.getByRole('button', { name, exact: true }));

/** Opens the composer by its key. */
async function open(server: MailServer): Promise<MailServer> {
  showMails();
  await expect.element(page.getByRole('button', { name: /^(Answer|Go on with the draft)$/ })).toBeVisible();
  await userEvent.keyboard('r');
  await expect.element(text()).toHaveFocus();
  return server;
}

const template = (id: number, change: Partial<CaseTemplate>): CaseTemplate => ({
  id,
  type: 'answer',
  label: 'List of ads',
  language: 'en',
  reminder: null,
  version: 1,
  brandId: null,
  subject: 'Your ads on Maison Brivault',
  body: 'Hello {{ contact }}, these are the ads: {{ ads }}.',
  holes: ['contact', 'ads'],
  ...change,
});

it('answers the sender, saves a second after the last key, sends, and gives the mail back', async () => {
  const server = await open(new MailServer());
  await expect.element(subject()).toHaveValue('Re: Your ads');
  await userEvent.keyboard('Thank you.');
  expect(server.of('PUT emails/draft')).toEqual([]);
  await expect.element(form().getByText('Draft saved 10:41')).toBeVisible();
  expect(server.of('PUT emails/draft')).toEqual([
    {
      version: 0,
      to: [1],
      subject: 'Re: Your ads',
      body: 'Thank you.',
      templateId: null,
      language: 'en',
      attachments: [],
    },
  ]);
  await userEvent.keyboard(' Soon?{Control>}{Enter}{/Control}');
  await expect.element(form()).not.toBeInTheDocument();
  expect(server.of('PUT emails/draft').map(({ version, body }) => [version, body])).toEqual([
    [0, 'Thank you.'],
    [1, 'Thank you. Soon?'],
  ]);
  expect(server.of('POST emails/send').map((body) => ({ ...body }))).toEqual([
    expect.objectContaining({ version: 2, seen: 3, sendAt: null }),
  ]);
  expect(leavingMail.get()).toMatchObject({ mailId: 50, caseId: '7', domain: 'nordmart.example', recipients: 1 });
  await expect.element(page.getByRole('button', { name: 'Answer', exact: true })).toHaveFocus();
  await expect.element(page.getByRole('button', { name: /^Ann Archer Re: Your ads.*queued/ })).toBeVisible();
});

it('takes a mail back whose sending can wait, with its text', async () => {
  const server = await open(new MailServer());
  await userEvent.keyboard('Too soon');
  await press('More ways to send');
  await userEvent.click(page.getByRole('menuitem', { name: 'Send later' }));
  const dialog = page.getByRole('dialog', { name: 'Send later' });
  const moment = dialog.getByLabelText('Date and time');
  await userEvent.fill(moment, '2020-01-01T09:00');
  await userEvent.click(dialog.getByRole('button', { name: 'Send then' }));
  await expect.element(dialog).toHaveTextContent('Choose a moment that is still to come.');
  await userEvent.fill(moment, `${new Date().getFullYear() + 2}-01-01T09:00`);
  await userEvent.click(dialog.getByRole('button', { name: 'Send then' }));
  await expect.element(dialog).toHaveTextContent('Choose a moment in the next 60 days.');
  await userEvent.click(dialog.getByRole('button', { name: 'Tomorrow' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Send then' }));
  await expect.element(page.getByText(/^leaves on /)).toBeVisible();
  expect(Date.parse(String(server.of('POST emails/send')[0]?.sendAt))).toBeGreaterThan(Date.now());
  expect(leavingMail.get()).toBeUndefined();
  await press('Take it back');
  await expect.element(text()).toHaveValue('Too soon');
});

it('says that a mail is already leaving', async () => {
  const server = await open(new MailServer());
  await userEvent.keyboard('Gone');
  await press('More ways to send');
  await userEvent.click(page.getByRole('menuitem', { name: 'Send later' }));
  await userEvent.click(page.getByRole('button', { name: 'Send then' }));
  server.refusals['POST emails/50/undo'] = { status: 409, code: 'ALREADY_LEAVING' };
  await press('Take it back');
  await expect.element(page.getByText('It is already leaving and cannot be taken back.')).toBeVisible();
  await expect.element(form()).not.toBeInTheDocument();
});

it('sends and accepts, as far as the case allows it', async () => {
  const server = await open(new MailServer());
  await userEvent.keyboard('Thank you.');
  await press('More ways to send');
  await expect.element(page.getByRole('menuitem', { name: 'Send and next' })).not.toBeInTheDocument();
  await expect.element(page.getByRole('menuitem', { name: 'Send and refuse' })).toBeVisible();
  await userEvent.click(page.getByRole('menuitem', { name: 'Send and accept' }));
  await expect.poll(() => JSON.stringify(server.of('POST emails/send'))).toContain('"then":"accept"');
});

it('refuses what is not complete, and says where', async () => {
  const server = await open(new MailServer());
  await press('Remove j.martin@nordmart.example');
  await userEvent.fill(subject(), '');
  await press('Send');
  await expect.element(form().getByText('Choose a recipient.')).toBeVisible();
  await expect.element(form().getByText('Write a subject.')).toBeVisible();
  await expect.element(form().getByText('Write a text.')).toBeVisible();
  await expect.element(subject()).toHaveFocus();
  expect(server.of('POST emails/send')).toEqual([]);
});

it('shows what the server refuses by field', async () => {
  const server = await open(new MailServer());
  server.refusals['POST emails/send'] = {
    status: 422,
    code: 'VALIDATION',
    details: { messages: { body: ['The text is too long'] } },
  };
  await userEvent.keyboard('Hello');
  await press('Send');
  await expect.element(form().getByText('Text: The text is too long')).toBeVisible();
});

it('chooses a template by its words, marks its gaps, and sends only without them', async () => {
  const server = new MailServer();
  server.templates = [template(1, {}), template(2, { label: 'Thanks', body: 'Thank you for your answer.', holes: [] })];
  await open(server);
  await press('Template');
  const dialog = page.getByRole('dialog', { name: 'Templates' });
  const preview = dialog.getByRole('region', { name: 'Preview on this case' });
  await expect.element(preview).toHaveTextContent('2 gaps are yours to fill.');
  await userEvent.fill(dialog.getByRole('searchbox', { name: 'Search the templates' }), 'nowhere');
  await expect.element(dialog).toHaveTextContent('No template has these words.');
  await userEvent.fill(dialog.getByRole('searchbox', { name: 'Search the templates' }), 'thank');
  await expect.element(preview).toHaveTextContent('Thank you for your answer.');
  await userEvent.clear(dialog.getByRole('searchbox', { name: 'Search the templates' }));
  await userEvent.click(dialog.getByRole('button', { name: /^List of ads/ }));
  await userEvent.click(dialog.getByRole('button', { name: 'Use this template' }));
  await expect.element(form().getByText('2 gaps to fill:')).toBeVisible();
  await press('Send');
  await expect.element(form().getByText('Fill the 2 marked gaps before sending.')).toBeVisible();
  const field = text().element() as HTMLTextAreaElement;
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe('{{ contact }}');
  await press('ads');
  expect(field.value.slice(field.selectionStart, field.selectionEnd)).toBe('{{ ads }}');
  expect(server.of('POST emails/send')).toEqual([]);
  await userEvent.fill(text(), 'Hello Julien, these are the ads: two.');
  await press('Send');
  await expect.poll(() => server.of('POST emails/send')).toHaveLength(1);
  expect(server.of('PUT emails/draft').at(-1)).toMatchObject({ templateId: 1, subject: 'Your ads on Maison Brivault' });
});

it('asks before a template replaces a typed text, and can keep it below', async () => {
  const server = new MailServer();
  server.templates = [template(1, { body: 'Template text.', holes: [] })];
  await open(server);
  await userEvent.keyboard('My own.');
  await press('Template');
  await expect.element(page.getByText('You have typed a text already.')).toBeVisible();
  await press('Insert above my text');
  await expect.element(text()).toHaveValue('Template text.\n\nMy own.');
  await expect.element(subject()).toHaveValue('Re: Your ads');
});

it('changes an untouched template with the language, and no typed text', async () => {
  const server = new MailServer();
  server.templates = [template(1, { body: 'Hello', holes: [] })];
  await open(server);
  await press('Template');
  await press('Use this template');
  server.templates = [template(2, { language: 'fr', subject: 'Vos annonces', body: 'Bonjour', holes: [] })];
  await userEvent.click(form().getByRole('radiogroup', { name: 'Language of the e-mail' }).getByText('fr'));
  await expect.element(text()).toHaveValue('Bonjour');
  await userEvent.fill(text(), 'Bonjour, my words');
  await userEvent.click(form().getByRole('radiogroup', { name: 'Language of the e-mail' }).getByText('en'));
  await expect.element(text()).toHaveValue('Bonjour, my words');
});

it('offers no contact that bounced, and makes one of a new address first', async () => {
  const server = await open(
    new MailServer({ contacts: [...contacts, contact(4, 'x@nordmart.example', { suppressed: 'asked' })] }),
  );
  await expect.element(form().getByText('on 17/09/25, cannot be chosen')).toBeVisible();
  await press('Add');
  const names = page
    .getByRole('menuitem')
    .elements()
    .map(({ textContent }) => textContent);
  expect(names).toEqual(['desk@nordgroup.example', 'New address']);
  await userEvent.click(page.getByRole('menuitem', { name: 'New address' }));
  const field = form().getByRole('textbox', { name: 'New address' });
  await userEvent.fill(field, 'not an address');
  await press('Save as contact');
  await expect.element(form().getByText('This is not an e-mail address.')).toBeVisible();
  expect(server.of('POST contacts')).toEqual([]);
  await userEvent.fill(field, 'New@nordmart.example');
  await press('Save as contact');
  await expect.element(page.getByRole('button', { name: 'Remove New@nordmart.example' })).toBeVisible();
});

it('asks once about a forgotten file', async () => {
  const server = await open(new MailServer());
  await userEvent.keyboard('The captures are attached.');
  await press('Send');
  const dialog = page.getByRole('dialog', { name: 'Nothing is attached' });
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(server.of('POST emails/send')).toEqual([]);
  await press('Send');
  await expect.poll(() => server.of('POST emails/send')).toHaveLength(1);
});

it('says that somebody else writes, and asks before an answer that may be the second', async () => {
  const server = new MailServer();
  server.present = { people: [{ id: 4, name: 'Bo Baker', writes: true }], elsewhere: false };
  await open(server);
  await userEvent.keyboard('Thank you.');
  await expect.element(form().getByText('Bo Baker is writing in this case, too.')).toBeVisible();
  expect(server.of('POST presence')).toEqual([{ page: expect.stringMatching(/^[0-9a-f-]{36}$/), doing: 'writes' }]);
  await press('Send');
  const dialog = page.getByRole('dialog', { name: 'Somebody else is writing' });
  await expect.element(dialog.getByText(/^Bo Baker is writing in this case, too\./)).toBeVisible();
  expect(server.of('POST emails/send')).toEqual([]);
  await userEvent.click(dialog.getByRole('button', { name: 'Send nevertheless' }));
  await expect.poll(() => server.of('POST emails/send')).toHaveLength(1);
  await expect.poll(() => server.of('POST presence').at(-1)?.doing).toBe('leaves');
});

it('asks before it sends what the reader also writes in another window', async () => {
  const server = new MailServer();
  server.present = { people: [{ id: 4, name: 'Bo Baker', writes: false }], elsewhere: true };
  await open(server);
  await userEvent.keyboard('Thank you.');
  await press('Send');
  const dialog = page.getByRole('dialog', { name: 'Somebody else is writing' });
  await expect.element(dialog.getByText(/^You are writing in this case in another window, too\./)).toBeVisible();
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(server.of('POST emails/send')).toEqual([]);
  // Asked once.
  await press('Send');
  await expect.poll(() => server.of('POST emails/send')).toHaveLength(1);
});

it('attaches files, refuses those that are too large, and takes them away', async () => {
  const server = await open(new MailServer());
  await userEvent.keyboard('The captures are attached.');
  const input = document.querySelector('input[type="file"]') as HTMLInputElement;
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([new Uint8Array((10 << 20) + 1)], 'huge.png', { type: 'image/png' }));
  form()
    .element()
    .dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
  await expect.element(page.getByText('huge.png is larger than 10 MB.')).toBeVisible();
  await userEvent.upload(input, new File(['x'.repeat(2_000)], 'ads.png', { type: 'image/png' }));
  await expect.element(form().getByText('2 kB')).toBeVisible();
  await expect.poll(() => server.of('PUT emails/draft').at(-1)?.attachments).toEqual(['f1']);
  await press('Remove ads.png');
  await expect.poll(() => server.of('PUT emails/draft').at(-1)?.attachments).toEqual([]);
});

it('names the other cases of the advertiser, and takes them out again', async () => {
  const siblings = [
    { ID: 8, country: 'BE', engine: 'bing', domain: 'nordmart.example', status: 'requested' },
    { ID: 9, country: 'GB', engine: 'google', domain: 'nordmart.example', status: 'requested' },
  ];
  await open(new MailServer({ siblings, language: 'en' }));
  await userEvent.keyboard('Hello.');
  await expect.element(form().getByText('2 more cases of this advertiser wait for a first e-mail')).toBeVisible();
  await userEvent.click(form().getByRole('checkbox', { name: 'Name them in this e-mail' }));
  await expect
    .element(text())
    .toHaveValue(
      'Hello.\n\nThis also concerns:\n- nordmart.example (Belgium, Bing)\n- nordmart.example (United Kingdom, Google)',
    );
  await userEvent.click(form().getByRole('checkbox', { name: 'Name them in this e-mail' }));
  await expect.element(text()).toHaveValue('Hello.');
});

it('shows a mail that arrived meanwhile, and sends by the second press', async () => {
  const server = await open(new MailServer());
  await userEvent.keyboard('Thank you.');
  await expect.element(form().getByText('Draft saved 10:41')).toBeVisible();
  const reply = receivedMail(11, { body: 'One thing more.', receivedDate: '2025-10-05T08:50:00.000Z' });
  server.data = { ...server.data, mails: [...server.data.mails, reply] };
  server.refusals['POST emails/send'] = { status: 409, code: 'MAIL_ARRIVED' };
  await press('Send');
  await expect.element(form().getByText(/^A reply arrived while you were writing/)).toBeVisible();
  await expect.element(page.getByText('One thing more.')).toBeVisible();
  await expect.element(text()).toHaveValue('Thank you.');
  await press('Send');
  await expect.element(form()).not.toBeInTheDocument();
  expect(server.of('POST emails/send').map(({ seen }) => seen)).toEqual([3, 11]);
});

const draft = (version: number, body: string) => ({
  id: 50,
  version,
  to: [1],
  subject: 'Re: Your ads',
  body,
  templateId: null,
  language: 'en' as const,
  attachments: [],
  updatedDate: '2025-10-05T08:42:00.000Z',
});

it('goes on with the draft of the server', async () => {
  await open(new MailServer({ draft: draft(4, 'Begun') }));
  await expect.element(text()).toHaveValue('Begun');
});

it('keeps both texts where another tab has saved a newer one', async () => {
  const server = await open(new MailServer({ draft: draft(4, 'Begun') }));
  const newer = draft(5, 'Of the other tab');
  server.refusals['PUT emails/draft'] = { status: 409, code: 'DRAFT_CHANGED', details: newer };
  await userEvent.fill(text(), 'Mine');
  await expect.element(form().getByText('A newer draft exists, of 10:42. Both are kept.')).toBeVisible();
  await press('Show the newer one');
  await expect.element(text()).toHaveValue('Of the other tab');
  await press('Show it');
  await expect.element(text()).toHaveValue('Mine');
  await expect.poll(() => server.of('PUT emails/draft').at(-1)).toMatchObject({ version: 5, body: 'Mine' });
});

it('does not send while a newer draft is not looked at, and goes on with its own', async () => {
  const server = await open(new MailServer({ draft: draft(4, 'Begun') }));
  server.refusals['PUT emails/draft'] = { status: 409, code: 'DRAFT_CHANGED', details: draft(5, 'Other') };
  await userEvent.fill(text(), 'Mine');
  await press('Send');
  await expect.element(page.getByRole('button', { name: 'Go on with mine' })).toBeVisible();
  expect(server.of('POST emails/send')).toEqual([]);
  await press('Go on with mine');
  await press('Send');
  await expect.poll(() => server.of('POST emails/send')).toHaveLength(1);
  expect(server.of('PUT emails/draft').at(-1)).toMatchObject({ version: 5, body: 'Mine' });
});

it('keeps a text that could not be saved in this browser, and finds it again', async () => {
  const server = await open(new MailServer());
  server.refusals['PUT emails/draft'] = { status: 503, code: 'x' };
  await userEvent.keyboard('Precious');
  await expect.element(form().getByText('The draft could not be saved; it is kept in this browser.')).toBeVisible();
  expect(localDraft.get(3, '7')?.writing.body).toBe('Precious');
  cleanup();
  await open(new MailServer());
  await expect.element(text()).toHaveValue('Precious');
  await expect.element(form().getByText('Draft saved 10:41')).toBeVisible();
  expect(localDraft.get(3, '7')).toBeUndefined();
});

it('goes on while offline, and sends nothing', async () => {
  const server = await open(new MailServer());
  onlineManager.setOnline(false);
  await expect.element(form().getByText(/^You are offline/)).toBeVisible();
  await userEvent.keyboard('On the train{Control>}{Enter}{/Control}');
  await expect.element(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled();
  expect(localDraft.get(3, '7')?.writing.body).toBe('On the train');
  expect(server.of('POST emails/send')).toEqual([]);
});

it('closes by Escape with the draft kept, and throws it away only after a question', async () => {
  const server = await open(new MailServer());
  await userEvent.keyboard('Half a thought{Escape}');
  await expect.element(form()).not.toBeInTheDocument();
  await expect.poll(() => server.of('PUT emails/draft')).toHaveLength(1);
  await userEvent.click(page.getByRole('button', { name: 'Go on with the draft' }));
  await expect.element(text()).toHaveValue('Half a thought');
  await press('Throw the draft away');
  await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'Throw the draft away' }));
  await expect.element(page.getByRole('button', { name: 'Answer', exact: true })).toBeVisible();
  expect(server.of('DELETE emails/draft')).toHaveLength(1);
  expect(server.data.draft).toBeNull();
});

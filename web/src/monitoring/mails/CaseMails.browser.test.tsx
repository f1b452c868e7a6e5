import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { MailServer, showMails } from '~/testMailServer';
import { companyUser, contact, delivery, mailOf, operator, receivedMail } from '~/testMails';
import { toast } from '~/ui/toast';
import { isFramed } from './frame';

vi.mock('./frame', { spy: true });

const TEXTS = ['mailsOfCases', 'advertisers', 'market', 'list', 'common'];

/** Nothing tells that a mail will not be read: it has to be waited for. */
const LONGER_THAN_READING_MS = 1_300;

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
  toast.clear();
  cleanup();
  // A composer that is left saves its draft.
  await new Promise((resolve) => setTimeout(resolve));
  vi.restoreAllMocks();
  window.localStorage.clear();
  window.sessionStorage.clear();
});

const line = (name: RegExp) => page.getByRole('button', { name, expanded: false });
const opened = (name: RegExp) => page.getByRole('button', { name, expanded: true });
const thread = () => page.getByRole('region', { name: 'Conversation' });

it('tells the story from the oldest to the newest, and opens what is unread', async () => {
  new MailServer();
  showMails();
  await expect.element(opened(/Julien Martin/)).toBeVisible();
  await expect
    .poll(() => (thread().element() as HTMLElement).innerText.replace(/\s+/g, ' '))
    .toMatch(
      /Requested 02\/09.*Ann Archer Your ads.*accepted by the server.*Notified.*Reminder 1 automatic, to 2 contacts.*1 bounced.*1 accepted by the server.*Reminded.*Julien Martin j\.martin@nordmart\.example unread.*We ask our agency\./,
    );
  await expect.element(page.getByText('2 active')).toBeVisible();
  await expect.element(page.getByText('1 bounced').first()).toBeVisible();
});

it('reads a mail only when it was in sight for a second, and says who read it', async () => {
  const server = new MailServer();
  showMails();
  await expect.element(page.getByText('We ask our agency.')).toBeVisible();
  expect(server.of('POST emails/3/read')).toEqual([]);
  await expect.poll(() => server.of('POST emails/3/read'), { timeout: 4_000 }).toEqual([{ read: true }]);
  await expect.element(page.getByText('Read by Ann Archer')).toBeVisible();
  await expect.element(page.getByText('unread', { exact: true })).not.toBeInTheDocument();
});

it('does not read what is out of sight, closed, or seen by a company', async () => {
  const long = { body: 'A line.\n'.repeat(80) };
  const server = new MailServer({
    mails: [receivedMail(1, long), receivedMail(2, long), receivedMail(3), receivedMail(4)],
  });
  showMails(operator, 420);
  await expect.poll(() => server.of('POST emails/2/read'), { timeout: 4_000 }).toEqual([{ read: true }]);
  expect(server.of('POST emails/1/read')).toEqual([]);
  expect(server.of('POST emails/3/read')).toEqual([]);
  cleanup();
  const other = new MailServer();
  showMails(companyUser);
  await expect.element(page.getByText('We ask our agency.')).toBeVisible();
  await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_READING_MS));
  expect(other.of('POST emails/3/read')).toEqual([]);
});

it('marks a mail unread and closes it, by its button and by u', async () => {
  const server = new MailServer({ mails: [receivedMail(3, { open: true, readBy: { id: 4, name: 'Bo Baker' } })] });
  showMails();
  await userEvent.click(page.getByRole('button', { name: 'Mark as unread' }));
  await expect.element(line(/Julien Martin.*unread/)).toBeVisible();
  await userEvent.keyboard('u');
  await expect.poll(() => server.of('POST emails/3/read')).toEqual([{ read: false }, { read: true }]);
});

it('goes through the mails by j and k, and opens one by o', async () => {
  new MailServer();
  showMails();
  await expect.element(opened(/Julien Martin/)).toBeVisible();
  await userEvent.keyboard('j');
  await expect.element(opened(/Julien Martin/)).toHaveFocus();
  await userEvent.keyboard('kk');
  await expect.element(line(/^Ann Archer/)).toHaveFocus();
  await userEvent.keyboard('o');
  await expect.element(opened(/^Ann Archer/)).toHaveFocus();
});

it('shows a company the thread, and nothing to write with', async () => {
  new MailServer({
    mails: [mailOf(1, { kind: 'notification', author: null, deliveries: [] }), receivedMail(2, { automatic: 'maybe' })],
    contacts: [],
  });
  showMails(companyUser);
  await expect.element(page.getByText('We ask our agency.')).toBeVisible();
  await expect.element(line(/^Notification Your ads.*accepted by the server/)).toBeVisible();
  for (const name of [/^Answer/, /Contacts/, 'It arrived', 'It is automatic', 'Save as contact'])
    await expect.element(page.getByRole('button', { name })).not.toBeInTheDocument();
  await userEvent.keyboard('r');
  await expect.element(page.getByRole('form', { name: 'Write an e-mail' })).not.toBeInTheDocument();
});

it('asks what became of a mail of unknown outcome: it arrived', async () => {
  const unknown = delivery({ state: 'unknown', text: 'connection lost after the body' });
  const server = new MailServer({ mails: [mailOf(1, { status: 'unknown', deliveries: [unknown] })] });
  showMails();
  const trouble = page.getByRole('region', { name: 'Needs your decision' });
  await expect.element(trouble).toHaveTextContent(/j\.martin@nordmart\.example.*connection lost after the body/);
  await userEvent.click(trouble.getByRole('button', { name: 'It arrived' }));
  await expect.element(trouble).not.toBeInTheDocument();
  expect(server.of('POST emails/1/ruling')).toEqual([{ arrived: true }]);
  await expect.element(page.getByText('arrived', { exact: true }).first()).toBeVisible();
});

it('writes a lost mail again, with its text and the recipients that it missed', async () => {
  const deliveries = [
    delivery({ id: 1, state: 'unknown' }),
    delivery({ id: 2, contactId: 3, address: 'desk@nordgroup.example' }),
  ];
  const server = new MailServer({ mails: [mailOf(1, { status: 'unknown', body: 'Please stop.', deliveries })] });
  showMails();
  await userEvent.click(page.getByRole('button', { name: 'It did not: write again' }));
  const form = page.getByRole('form', { name: 'Write an e-mail' });
  await expect.element(form.getByRole('textbox', { name: 'Text' })).toHaveValue('Please stop.');
  await expect.element(form.getByRole('button', { name: 'Remove j.martin@nordmart.example' })).toBeVisible();
  await expect.element(form.getByRole('button', { name: 'Remove desk@nordgroup.example' })).not.toBeInTheDocument();
  expect(server.of('POST emails/1/ruling')).toEqual([{ arrived: false }]);
});

it('shows why a mail failed, and leads to the contacts', async () => {
  const failed = delivery({ state: 'failed', code: 550, text: 'no such user', reason: 'refused' });
  new MailServer({ mails: [mailOf(1, { status: 'failed', deliveries: [failed] })] });
  showMails();
  const trouble = page.getByRole('region', { name: 'Needs your decision' });
  await expect.element(trouble).toHaveTextContent('550 no such user');
  await userEvent.click(trouble.getByRole('button', { name: 'Contacts' }));
  await expect.element(page.getByRole('dialog', { name: 'Contacts' })).toBeVisible();
});

it.each([
  ['It is automatic', true],
  ['A person wrote it', false],
] as const)('asks whether a machine wrote a mail: %s', async (name, automatic) => {
  const server = new MailServer({ mails: [receivedMail(1, { automatic: 'maybe' })] });
  showMails();
  await userEvent.click(page.getByRole('button', { name }));
  await expect.poll(() => server.of('POST emails/1/automatic')).toEqual([{ automatic }]);
  await expect.element(page.getByRole('button', { name })).not.toBeInTheDocument();
});

it('says that such a change failed, and leaves the mail as it is', async () => {
  const server = new MailServer({ mails: [receivedMail(1, { automatic: 'maybe', open: true })] });
  server.refusals['POST emails/1/automatic'] = { status: 500, code: 'x' };
  showMails();
  await userEvent.click(page.getByRole('button', { name: 'It is automatic' }));
  await expect.element(page.getByRole('alert')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'It is automatic' })).toBeVisible();
});

it('makes a contact of a new sender', async () => {
  const from = { address: 'p.durand@alto.example', name: null };
  const server = new MailServer({ mails: [receivedMail(1, { from })] });
  showMails();
  await expect.element(page.getByText('New sender: p.durand@alto.example')).toBeVisible();
  await userEvent.click(page.getByRole('button', { name: 'Save as contact' }));
  await expect.element(page.getByText('New sender: p.durand@alto.example')).not.toBeInTheDocument();
  expect(server.of('POST contacts')).toEqual([{ email: 'p.durand@alto.example', name: '' }]);
});

it('folds quotes, and long mails until they are asked for', async () => {
  const quoting = receivedMail(1, { body: 'Yes.\n> Will you stop?\n> Soon?' });
  const long = receivedMail(2, { body: `${'word '.repeat(25_000)}the end` });
  new MailServer({ mails: [quoting, long] });
  showMails();
  await expect.element(page.getByText('Will you stop?')).not.toBeInTheDocument();
  await userEvent.click(page.getByRole('button', { name: 'quoted text (2 lines)' }));
  await expect.element(page.getByText('Will you stop?')).toBeVisible();
  expect(document.body.textContent).not.toContain('the end');
  await userEvent.click(page.getByRole('button', { name: /^Show all of it \(125 kB\)/ }));
  expect(document.body.textContent).toContain('the end');
});

it('shows the layout of a sender without scripts, and without loads from elsewhere', async () => {
  const html =
    '<p id="x">laid <b>out</b></p><script>parent.document.title="owned"</script><img src="https://spy.example/p.png">';
  new MailServer({ mails: [receivedMail(1, { html })] });
  showMails();
  await userEvent.click(page.getByRole('button', { name: 'As laid out' }));
  const frame = page.getByTitle('E-mail as its sender laid it out').element() as HTMLIFrameElement;
  expect(frame.getAttribute('sandbox')).toBe('');
  expect(frame.srcdoc).toContain("default-src 'none'");
  expect(frame.contentDocument).toBeNull();
  await userEvent.click(page.getByRole('button', { name: 'As text' }));
  await expect.element(page.getByText('We ask our agency.')).toBeVisible();
});

it('offers the first mail where there is none, and a contact where nobody can be written to', async () => {
  new MailServer({ mails: [] });
  showMails();
  await expect.element(page.getByText('No e-mail yet.')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Write the first e-mail' })).toBeVisible();
  cleanup();
  new MailServer({ mails: [], contacts: [contact(2, 'legal@nordmart.example', { state: 'bounced' })] });
  showMails();
  await expect.element(page.getByText('No contact for this advertiser can be written to.')).toBeVisible();
  await userEvent.click(page.getByRole('button', { name: 'Add a contact' }));
  await expect.element(page.getByRole('dialog', { name: 'Contacts' })).toBeVisible();
});

it('says that the mails could not be loaded, and tries again', async () => {
  const server = new MailServer();
  server.refusals['GET emails'] = { status: 500, code: 'x' };
  showMails();
  const panel = page.getByRole('alert');
  await expect.element(panel).toBeVisible();
  await userEvent.click(panel.getByRole('button'));
  await expect.element(opened(/Julien Martin/)).toBeVisible();
});

it.each([390, 768, 1440, 1920])('fits %i px in French with long words', async (width) => {
  await page.viewport(width, 844);
  await i18next.changeLanguage('fr');
  await loadTexts(TEXTS);
  const address = `${'tres-long-nom'.repeat(8)}@${'domaine'.repeat(6)}.example`;
  const mails = [
    mailOf(1, {
      subject: 'Objet'.repeat(60),
      deliveries: [delivery({ address, state: 'failed', text: 'x'.repeat(300) })],
    }),
    receivedMail(2, { from: { address, name: null }, body: 'mot'.repeat(400), automatic: 'maybe' }),
  ];
  new MailServer({ mails, contacts: [contact(1, address), contact(2, `x${address}`, { state: 'bounced' })] });
  showMails(operator, 800);
  await userEvent.click(page.getByRole('button', { name: 'Répondre' }));
  await expect.element(page.getByRole('form', { name: 'Écrire un e-mail' })).toBeVisible();
  expect(document.documentElement.scrollWidth).toBe(width);
  expect(thread().element().scrollWidth).toBeLessThanOrEqual(thread().element().clientWidth);
});

it('opens 200 mails at once, and draws only those that changed', async () => {
  const mails = Array.from({ length: 200 }, (_, at) => receivedMail(at + 1, { open: true, body: 'text '.repeat(500) }));
  new MailServer({ mails });
  const began = performance.now();
  showMails();
  await expect.element(opened(/Julien Martin/)).toBeVisible();
  expect(page.getByRole('article').elements()).toHaveLength(200);
  expect(document.body.textContent?.match(/text text/g)?.length ?? 0).toBeLessThan(600);
  expect(performance.now() - began).toBeLessThan(10_000);
});

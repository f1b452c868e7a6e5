import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { MailServer, showMails } from '~/testMailServer';
import { contact, contacts } from '~/testMails';
import { toast } from '~/ui/toast';
import { isFramed } from './frame';

vi.mock('./frame', { spy: true });

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  vi.mocked(isFramed).mockReturnValue(false);
  await page.viewport(900, 900);
  await i18next.changeLanguage('en');
  await loadTexts(['mailsOfCases', 'advertisers', 'market', 'list', 'common']);
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

const dialog = () => page.getByRole('dialog', { name: 'Contacts' });

async function open(server: MailServer): Promise<MailServer> {
  showMails();
  await userEvent.click(page.getByRole('button', { name: /^Contacts/ }));
  await expect.element(dialog()).toBeVisible();
  return server;
}

it('says who they are, whether they can be written to, and when one bounced last', async () => {
  const asked = contact(4, 'no@nordmart.example', { suppressed: 'asked' });
  await open(new MailServer({ contacts: [...contacts, asked] }));
  const lines = dialog().getByRole('listitem').elements();
  expect(lines.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Julien Martinj\.martin@nordmart\.exampleactive/),
    expect.stringMatching(/^legal@nordmart\.examplebouncedlast bounce 17\/09\/2025$/),
    expect.stringMatching(/^desk@nordgroup\.exampleof the master advertiseractive/),
    expect.stringMatching(/^no@nordmart\.examplenot to be written to$/),
  ]);
});

it('sets the wrong person aside', async () => {
  const server = await open(new MailServer());
  await userEvent.click(dialog().getByRole('switch', { name: 'desk@nordgroup.example is the right person' }));
  await expect.poll(() => server.of('PATCH contacts/3')).toEqual([{ state: 'inactive' }]);
});

it('says that this failed', async () => {
  const server = await open(new MailServer());
  server.refusals['PATCH contacts/3'] = { status: 500, code: 'x' };
  await userEvent.click(dialog().getByRole('switch', { name: 'desk@nordgroup.example is the right person' }));
  await expect.element(page.getByText('The contact could not be changed.')).toBeVisible();
});

it('adds a contact, but no text that is no address and none that the server refuses', async () => {
  const server = await open(new MailServer());
  const email = dialog().getByRole('textbox', { name: 'E-mail address' });
  const add = dialog().getByRole('button', { name: 'Add a contact' });
  await userEvent.fill(email, 'nobody');
  await userEvent.click(add);
  await expect.element(dialog()).toHaveTextContent('This is not an e-mail address.');
  expect(server.of('POST contacts')).toEqual([]);
  server.refusals['POST contacts'] = {
    status: 422,
    code: 'VALIDATION',
    details: { messages: { email: ['This address is a contact already'] } },
  };
  await userEvent.fill(email, 'p.durand@alto.example');
  await userEvent.click(add);
  await expect.element(dialog()).toHaveTextContent('This address is a contact already');
  await userEvent.fill(dialog().getByRole('textbox', { name: 'Name' }), ' Paul Durand ');
  await userEvent.click(add);
  await expect.element(dialog().getByText('p.durand@alto.example')).toBeVisible();
  expect(server.of('POST contacts').at(-1)).toEqual({ email: 'p.durand@alto.example', name: 'Paul Durand' });
  await expect.element(email).toHaveValue('');
});

it('says that there is none', async () => {
  await open(new MailServer({ contacts: [] }));
  await expect.element(dialog()).toHaveTextContent('No contact for this advertiser.');
});

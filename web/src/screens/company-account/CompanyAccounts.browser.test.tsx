import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Me } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderList } from '~/testing';
import { toast } from '~/ui/toast';
import { companyAccountsList } from './CompanyAccounts';

const administrator = { id: 1, email: 'a@vigie.example', roles: [{ name: 'admin' }] } as unknown as Me;
const kelmora = { id: 4, name: 'Kelmora', label: 'Kelmora', totalViews: 12, brands: [], captureQuota: 1_000 };

const sent = vi.fn<(call: string, body: unknown) => void>();

const nightly = {
  id: 31,
  name: 'nightly report',
  hint: 'x7Qa',
  scopes: ['read:lists', 'write:tags'],
  created: '2026-11-02T08:00:00Z',
  lastUsed: null,
  expires: null,
};
let keys: (typeof nightly)[] = [];

/** Answers as the server does, which has the keys of one company alone. */
async function answerOfKeys(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method === 'GET')
    return pathname === '/api/keys/company/4' ? Response.json(keys) : Response.json({}, { status: 404 });
  sent(`${request.method} ${pathname}`, request.method === 'POST' ? await request.json() : undefined);
  if (request.method === 'DELETE') {
    keys = [];
    return new Response(null, { status: 204 });
  }
  if (keys.length > 0) {
    const error = { statusCode: 409, code: 'TOO_MANY_KEYS', message: 'There are 20 keys; end one first.' };
    return Response.json({ error }, { status: 409 });
  }
  keys = [nightly];
  return Response.json({ key: `vigie_${'a'.repeat(43)}`, data: nightly }, { status: 201 });
}

async function respond(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.startsWith('/api/keys')) return answerOfKeys(request);
  if (request.method !== 'GET') {
    sent(`${request.method} ${pathname}`, JSON.parse(await request.text()));
    return Response.json(kelmora);
  }
  if (pathname === '/api/CompanyAccounts') return Response.json([kelmora]);
  if (pathname === '/api/captureUse')
    return Response.json({ data: [{ companyAccountID: 4, name: 'Kelmora', quota: 1_000, planned: 850, used: 41 }] });
  return Response.json({ data: [], count: 1 });
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['list', ...companyAccountsList.ns]);
});

beforeEach(async () => {
  await page.viewport(1440, 900);
  localStorage.clear();
  sent.mockClear();
  keys = [];
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
  renderList(companyAccountsList, '/company-account', administrator);
  await expect.element(page.getByText('850 of 1,000 planned')).toBeVisible();
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

it.each([390, 1440])('shows captures beside the quota, which a form sets or takes away, at %i px', async (width) => {
  await page.viewport(width, 900);
  await expect.element(page.getByText('41 used this month')).toBeVisible();
  await userEvent.click(page.getByRole('button', { name: 'What to do with Kelmora' }));
  await userEvent.click(page.getByRole('menuitem', { name: 'Update' }));
  const dialog = page.getByRole('dialog');
  const quota = dialog.getByLabelText('Captures that may be planned a month');
  await expect.element(quota).toHaveValue('1 000');

  await userEvent.fill(quota, '100000001');
  await userEvent.click(dialog.getByRole('button', { name: 'Update' }));
  await expect.element(dialog.getByText('A whole number from 0 to 100,000,000, or nothing')).toBeVisible();
  await userEvent.fill(quota, '-5');
  await userEvent.click(dialog.getByRole('button', { name: 'Update' }));
  await expect.element(dialog.getByText('A whole number from 0 to 100,000,000, or nothing')).toBeVisible();
  await userEvent.clear(dialog.getByRole('textbox', { name: 'Name' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Update' }));
  await expect.element(dialog.getByText('The name is required')).toBeVisible();
  await userEvent.fill(dialog.getByRole('textbox', { name: 'Name' }), 'Kelmora');
  expect(sent).not.toHaveBeenCalled();

  await userEvent.fill(quota, '');
  await userEvent.click(dialog.getByRole('button', { name: 'Update' }));
  await expect.element(page.getByText('Company account updated')).toBeVisible();
  const body = { name: 'Kelmora', label: 'Kelmora', captureQuota: null };
  expect(sent).toHaveBeenCalledExactlyOnceWith('PATCH /api/CompanyAccounts/4', body);
});

it.each([390, 1440])('makes, shows and ends keys of a company account, at %i px', async (width) => {
  await page.viewport(width, 900);
  await userEvent.click(page.getByRole('button', { name: 'What to do with Kelmora' }));
  await userEvent.click(page.getByRole('menuitem', { name: 'API keys' }));
  const dialog = page.getByRole('dialog', { name: 'API keys of Kelmora' });
  await expect.element(dialog.getByText('There is no key yet.')).toBeVisible();
  const make = dialog.getByRole('button', { name: 'Make a key' });
  await expect.element(make).toBeDisabled();
  await userEvent.fill(dialog.getByLabelText('Name'), ' nightly report ');
  await userEvent.click(dialog.getByLabelText('Set and remove tags'));
  await userEvent.click(make);
  await expect.element(dialog.getByText('Copy the key now: it is not shown again.')).toBeVisible();
  const body = { name: 'nightly report', scopes: ['read:lists', 'write:tags'], days: 366 };
  expect(sent).toHaveBeenCalledExactlyOnceWith('POST /api/keys/company/4', body);

  await userEvent.click(dialog.getByRole('button', { name: 'Done' }));
  await expect.element(dialog.getByRole('list', { name: 'Keys of Kelmora' })).toHaveTextContent('x7Qa');
  await userEvent.fill(dialog.getByLabelText('Name'), 'one more');
  await userEvent.click(make);
  await expect.element(page.getByText("Can't make the key.")).toBeVisible();
  await expect.element(page.getByText('There is no room for another key.')).toBeVisible();
  await expect.element(dialog.getByLabelText('Name')).toHaveValue('one more');

  await userEvent.click(dialog.getByRole('button', { name: 'End the key nightly report' }));
  await userEvent.click(page.getByRole('button', { name: 'End', exact: true }).last());
  await expect.element(dialog.getByText('There is no key yet.')).toBeVisible();
  expect(sent).toHaveBeenLastCalledWith('DELETE /api/keys/company/4/31', undefined);
});

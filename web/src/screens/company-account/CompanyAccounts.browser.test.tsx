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

async function respond(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
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

import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { toast } from '~/ui/toast';
import { undoOffer } from '~/ui/undo';
import { UnmatchedMails } from './UnmatchedMails';

const CASE = {
  actionID: 900,
  domain: 'solmart.example',
  brand: 'Kelmora',
  country: 'FR',
  engine: 'google',
  status: 'inprogress',
  reason: 'contact',
};
const mail = (id: number, subject: string, suggestions: object[] = []) => ({
  id,
  receivedDate: '2026-11-24T08:00:00Z',
  source: 'webhook',
  from: { address: 'ann@solmart.example', name: 'Ann' },
  subject,
  preview: `${subject} preview`,
  to: ['reply@vigie.example'],
  failure: null,
  suggestions,
});

let mails: ReturnType<typeof mail>[];
let calls: { call: string; body: unknown }[];

async function respond(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const call = `${request.method} ${pathname}`;
  if (call === 'GET /api/inboundMails')
    return Response.json({ data: search.includes('unreadable') ? [] : mails, unmatched: mails.length });
  if (request.method === 'GET' && pathname.startsWith('/api/inboundMails/'))
    return Response.json({ data: { body: `Text of ${pathname.split('/').at(-1)}`, html: null } });
  if (request.method === 'GET') return Response.json({ data: [], meta: { page: { total: 0 } }, links: {} });
  const body = JSON.parse((await request.text()) || '{}');
  calls.push({ call, body });
  const id = Number(pathname.split('/')[3]);
  if (request.method === 'DELETE') {
    mails = [mail(id, 'Second', [CASE]), ...mails];
    return new Response(null, { status: 204 });
  }
  if (call.endsWith('/attach')) {
    mails = mails.filter((one) => one.id !== id);
    return Response.json({ data: { id, actionID: body.actionID } });
  }
  mails = body.discarded ? mails.filter((one) => one.id !== id) : [mail(id, 'First', [CASE]), ...mails];
  return new Response(null, { status: 204 });
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['unmatchedMails', 'mailsOfCases', 'advertisers', 'actions', 'market', 'common']);
});

beforeEach(() => {
  mails = [mail(1, 'First', [CASE]), mail(2, 'Second', [CASE]), mail(3, 'Third')];
  calls = [];
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

async function show(width = 1440) {
  await page.viewport(width, 900);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, { id: 3, roles: [{ id: 1, name: 'operator' }] } as never);
  renderRoute('/unmatched-mails', UnmatchedMails, '/unmatched-mails', queries);
  await expect.element(page.getByRole('list', { name: 'E-mails without a case' })).toBeVisible();
}

describe('unmatched mails', () => {
  it('are read, filed and put away by keyboard alone', async () => {
    await show();
    await expect.element(page.getByText('Text of 1')).toBeVisible();
    await userEvent.keyboard('j');
    await expect.element(page.getByText('Text of 2')).toBeVisible();
    await userEvent.keyboard('1');
    await expect.poll(() => undoOffer.get()?.text).toBe('The e-mail is filed. Case 900');
    expect(calls).toEqual([{ call: 'POST /api/inboundMails/2/attach', body: { actionID: 900 } }]);
    // The next one is in sight.
    await expect.element(page.getByText('Text of 3')).toBeVisible();
    await userEvent.keyboard('k');
    await expect.element(page.getByText('Text of 1')).toBeVisible();
    await userEvent.keyboard('d');
    await expect
      .poll(() => calls.at(-1))
      .toEqual({ call: 'POST /api/inboundMails/1/discard', body: { discarded: true } });
    await expect.poll(() => undoOffer.get()?.text).toBe('The e-mail is discarded.');
    await expect.element(page.getByText('Text of 3')).toBeVisible();
    await userEvent.keyboard('z');
    await expect.element(page.getByText('The e-mail is back.')).toBeVisible();
    expect(calls.at(-1)?.body).toEqual({ discarded: false });
    expect(undoOffer.get()).toBeUndefined();
  });

  it('are taken back from the case that they were filed in', async () => {
    await show();
    await userEvent.keyboard('j1');
    await expect.element(page.getByText('Text of 3')).toBeVisible();
    await userEvent.keyboard('z');
    await expect.element(page.getByText('The e-mail is back.')).toBeVisible();
    expect(calls.map(({ call }) => call)).toEqual([
      'POST /api/inboundMails/2/attach',
      'DELETE /api/inboundMails/2/attach',
    ]);
    await expect.element(page.getByRole('button', { name: /Second/ })).toBeVisible();
  });

  it('are a list on a phone, and one mail at a time', async () => {
    await show(390);
    await expect.element(page.getByRole('article')).not.toBeInTheDocument();
    await userEvent.click(page.getByRole('button', { name: /Third/ }));
    await expect.element(page.getByText('Text of 3')).toBeVisible();
    await expect.element(page.getByText(/^No case is suggested/)).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'All e-mails' }));
    await expect.element(page.getByRole('button', { name: /First/ })).toBeVisible();
  });

  it('say that there are none', async () => {
    await show();
    await userEvent.click(page.getByText('Unreadable'));
    await expect.element(page.getByText('Every e-mail could be read')).toBeVisible();
  });
});

import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { toast } from '~/ui/toast';
import { Alerts } from './Alerts';

const ME = {
  id: 3,
  email: 'ann@acme.example',
  roles: [],
  companyAccount: { id: 1, brands: [{ id: 7, label: 'Kelmora', name: 'kelmora' }] },
};
const WEEKLY = {
  id: 4,
  brandId: 7,
  brand: 'Kelmora',
  enable: true,
  cron: '0 8 * * MON',
  frequency: null,
  startDate: null,
  hookTrigger: null,
  recipientIds: [3],
  from: null,
  fromName: null,
  subject: 'Weekly',
  nextSend: '2026-11-30T07:00:00Z',
  lastSend: null,
  owner: 3,
};

/** A text that alerts of every brand can have. */
const BRIEF = {
  id: 12,
  version: 2,
  label: 'Brief',
  language: 'fr',
  brandId: null,
  subject: '{{ brand }}',
  body: '{{ opened.count }}',
  alerts: 1,
};

let alerts: object[];
let texts: object[];
let calls: { call: string; body: unknown }[];
let refused: Record<string, string[]> | undefined;

async function respond(request: Request): Promise<Response> {
  const call = `${request.method} ${new URL(request.url).pathname}`;
  if (call === 'GET /api/alerts') return Response.json({ data: alerts, zone: 'Europe/Paris' });
  if (call === 'GET /api/brand') return Response.json({ data: [{ id: 7, label: 'Kelmora', name: 'kelmora' }] });
  if (call === 'GET /api/alerts/recipients')
    return Response.json({
      data: [
        { id: 3, name: 'Ann', email: 'ann@acme.example' },
        { id: 5, name: '', email: 'bea@acme.example' },
      ],
    });
  if (call === 'GET /api/alerts/texts') return Response.json({ data: texts });
  if (call === 'POST /api/alerts/texts/preview')
    return Response.json({ data: { subject: 'Kelmora!', body: 'Two cases' } });
  if (call === 'POST /api/alerts/schedule')
    return Response.json({ next: ['2026-11-30T07:00:00Z', '2026-12-07T07:00:00Z'], zone: 'Europe/Paris' });
  if (call === 'POST /api/alerts/preview')
    return Response.json({ data: { subject: 'Kelmora: what was seen', body: 'Hello Ann,\n\nCases: 2' } });
  const text = await request.text();
  const body = text === '' ? undefined : JSON.parse(text);
  calls.push({ call, body });
  if (refused)
    return Response.json({ error: { statusCode: 422, message: 'x', details: { messages: refused } } }, { status: 422 });
  if (request.method === 'DELETE' || call.endsWith('/test')) return new Response(null, { status: 204 });
  return Response.json({ data: { ...WEEKLY, ...body } });
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['alerts', 'common']);
});

beforeEach(() => {
  alerts = [WEEKLY];
  texts = [];
  calls = [];
  refused = undefined;
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

async function show(me: object = ME) {
  await page.viewport(1440, 900);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, me as never);
  renderWithProviders(<Alerts />, queries);
}

describe('alerts', () => {
  it('are listed with their next e-mail, switched off, and deleted', async () => {
    await show();
    await expect.element(page.getByText('Every Monday at 08:00')).toBeVisible();
    await expect.element(page.getByText('Monday 30 November, 08:00')).toBeVisible();
    (page.getByRole('switch', { name: 'Send the alert Weekly' }).element() as HTMLElement).focus();
    await userEvent.keyboard(' ');
    await expect.element(page.getByText('Weekly is off; nothing is sent.')).toBeVisible();
    expect(calls.at(-1)).toMatchObject({
      call: 'PUT /api/alerts/4',
      body: { brandId: 7, enable: false, cron: '0 8 * * MON' },
    });
    await userEvent.click(page.getByRole('button', { name: 'Delete Weekly' }));
    await userEvent.click(page.getByRole('button', { name: 'Delete', exact: true }));
    await expect.element(page.getByText('The alert is deleted.')).toBeVisible();
    expect(calls.at(-1)?.call).toBe('DELETE /api/alerts/4');
  });

  it('are made of what is offered, after the next e-mail and its words were shown', async () => {
    alerts = [];
    await show();
    await userEvent.click(page.getByRole('button', { name: 'A digest each week' }));
    await expect
      .element(page.getByText(/^Next e-mail: Monday 30 November, 08:00 \(Europe\/Paris\)\. Then: Monday 7 December/))
      .toBeVisible();
    await expect.element(page.getByText('Cases: 2')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Send me a test' }));
    await expect.element(page.getByText('A test is on its way to ann@acme.example.')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('The alert is saved.')).toBeVisible();
    expect(calls.map(({ call }) => call)).toEqual(['POST /api/alerts/test', 'POST /api/alerts']);
    expect(calls.at(-1)?.body).toMatchObject({ brandId: 7, cron: '0 8 * * MON', recipientIds: [3], hookTrigger: null });
  });

  it('follow an event, without a schedule', async () => {
    alerts = [];
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Advertisers that appear again' }));
    await expect.element(page.getByText(/^Sent within a minute/)).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Save' }));
    await expect.poll(() => calls.at(-1)?.body).toMatchObject({ hookTrigger: 'action.reappearance' });
  });

  it('say what is wrong at its field, in the language of the reader', async () => {
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Change Weekly' }));
    await userEvent.fill(page.getByRole('textbox', { name: 'Subject' }), 'x'.repeat(201));
    await expect.element(page.getByText('One line of up to 200 characters')).toBeVisible();
    await userEvent.fill(page.getByRole('textbox', { name: 'Subject' }), 'Daily');
    await userEvent.fill(page.getByLabelText('Time', { exact: true }), '');
    await userEvent.click(page.getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('Say at what time')).toBeVisible();
    expect(calls).toEqual([]);
    await userEvent.fill(page.getByLabelText('Time', { exact: true }), '09:30');
    refused = { recipientIds: ['has a user who does not see the brand'] };
    await userEvent.click(page.getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('Somebody among them does not see this brand')).toBeVisible();
  });

  it('have a text of their own where there is one', async () => {
    texts = [BRIEF];
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Change Weekly' }));
    await userEvent.click(page.getByRole('combobox', { name: 'Text' }));
    await userEvent.click(page.getByRole('option', { name: 'Brief (French)' }));
    await userEvent.click(page.getByRole('button', { name: 'Save' }));
    await expect.poll(() => calls.at(-1)).toMatchObject({ call: 'PUT /api/alerts/4', body: { templateId: 12 } });
    expect(page.getByRole('button', { name: 'Texts' }).elements()).toEqual([]);
  });

  it('have texts that administrators write and put away, after they were shown on a brand', async () => {
    texts = [BRIEF];
    await show({ ...ME, roles: [{ id: 1, name: 'admin' }] });
    await userEvent.click(page.getByRole('button', { name: 'Texts' }));
    await expect.element(page.getByText('French · all brands · version 2 · 1 alert')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Change Brief' }));
    await userEvent.fill(page.getByRole('textbox', { name: 'Subject' }), '{{ brand }}!');
    await userEvent.click(page.getByRole('combobox', { name: 'Brand of the preview' }));
    await userEvent.click(page.getByRole('option', { name: 'Kelmora' }));
    await expect.element(page.getByText('Two cases')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('The text is saved.')).toBeVisible();
    expect(calls.at(-1)).toMatchObject({ call: 'PUT /api/alerts/texts/12', body: { language: 'fr', brandId: null } });
    await userEvent.click(page.getByRole('button', { name: 'Put Brief away' }));
    await userEvent.click(page.getByRole('button', { name: 'Put away', exact: true }));
    await expect.poll(() => calls.at(-1)?.call).toBe('DELETE /api/alerts/texts/12');
  });
});

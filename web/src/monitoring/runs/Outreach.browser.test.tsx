import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { toast } from '~/ui/toast';
import { Outreach } from './Outreach';

const LINE = {
  actionID: 7,
  brandId: 1,
  brand: 'Kelmora',
  domain: 'solmart.example',
  country: 'FR',
  engine: 'google',
  step: 'remind',
  reminder: 2,
  reason: null,
  template: { id: 3, label: 'Reminder 2', version: 1, language: 'en' },
  recipients: ['legal@solmart.example'],
  holes: [],
  obstacle: null,
  detail: null,
  holds: [],
};

let lines: object[];
let stops: object[];
let calls: { call: string; body: unknown }[];

async function respond(request: Request): Promise<Response> {
  const call = `${request.method} ${new URL(request.url).pathname}`;
  if (call === 'GET /api/actions/outreach/today') {
    const data = {
      run: '2026-11-25T06:00:00Z',
      lines,
      total: lines.length + 2,
      notifications: [],
      notificationsTotal: 0,
    };
    return Response.json({ data });
  }
  if (call === 'GET /api/mailStops') return Response.json({ data: stops });
  const text = await request.text();
  calls.push({ call, body: text === '' ? undefined : JSON.parse(text) });
  if (call === 'POST /api/mailStops') return Response.json({ data: stops });
  return new Response(null, { status: 204 });
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['operations', 'common']);
});

beforeEach(() => {
  lines = [LINE];
  stops = [];
  calls = [];
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

async function show() {
  await page.viewport(1440, 900);
  renderRoute('/operations', Outreach, '/operations');
  await expect.element(page.getByRole('heading', { name: /^The next run/ })).toBeVisible();
}

describe('the next run', () => {
  it('is shown line by line, and a line is struck out', async () => {
    lines = [
      { ...LINE, holds: [{ reason: 'address_limit', until: '2026-11-26T08:00:00Z' }] },
      { ...LINE, actionID: 8, domain: 'hole.example', obstacle: 'holes', holes: ['keywords'] },
      {
        ...LINE,
        actionID: 9,
        domain: 'over.example',
        step: 'block',
        reminder: null,
        reason: 'reminder_quota_reached',
        template: null,
      },
    ];
    await show();
    const row = (domain: string) => page.getByRole('row', { name: new RegExp(`^${domain}`) });
    await expect
      .element(row('solmart'))
      .toHaveTextContent('Reminder 2 (EN, v1)legal@solmart.exampleone mail a day and address');
    await expect.element(row('hole')).toHaveTextContent('holes: keywords');
    await expect.element(row('over')).toHaveTextContent('Blockedall reminders were sent');
    await expect.element(page.getByText('and 2 more')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Strike solmart.example out' }));
    await expect.element(page.getByText('The case is struck out of the run.')).toBeVisible();
    expect(calls).toEqual([{ call: 'POST /api/actions/outreach/today', body: { strike: [7] } }]);
  });

  it('takes a line back', async () => {
    lines = [{ ...LINE, obstacle: 'struck' }];
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Take solmart.example back' }));
    await expect.poll(() => calls).toEqual([{ call: 'POST /api/actions/outreach/today', body: { restore: [7] } }]);
  });
});

describe('stops', () => {
  it('are made with a reason, and lifted', async () => {
    stops = [
      {
        id: 4,
        scope: 'domain',
        subject: 'solmart.example',
        brand: null,
        reason: 'They asked',
        by: 'Ann',
        at: '2026-11-24T08:00:00Z',
        until: null,
        held: 3,
      },
    ];
    await show();
    await expect.element(page.getByText('3 mails are held')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Stop mails' }));
    await userEvent.fill(page.getByRole('textbox', { name: 'Why' }), 'A wrong letter');
    await userEvent.click(page.getByRole('button', { name: 'Stop', exact: true }));
    await expect.element(page.getByText('The mails are stopped.')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Lift the stop: domain solmart.example' }));
    await expect.element(page.getByText('The stop is lifted.')).toBeVisible();
    expect(calls).toEqual([
      { call: 'POST /api/mailStops', body: { scope: 'all', subject: '', reason: 'A wrong letter', until: null } },
      { call: 'DELETE /api/mailStops/4', body: undefined },
    ]);
  });
});

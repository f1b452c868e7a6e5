import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { toast } from '~/ui/toast';
import { MailTemplates } from './MailTemplates';

const REMINDER = {
  id: 5,
  firstId: 5,
  type: 'reminder',
  label: 'Reminder 1',
  language: 'en',
  reminder: 1,
  brandId: null,
  version: 3,
  active: true,
  subject: 'Reminder ({{ reference }})',
  body: 'Hello,\n\n{{ sender.firstName }} for {{ brand.label }}',
  author: null,
  createdDate: '2026-03-02T08:00:00Z',
  made: 170,
  sent: 164,
  replied: 82,
  accepted: 41,
  reappeared: 0,
};
const ANSWER = {
  ...REMINDER,
  id: 6,
  firstId: 6,
  type: 'answer',
  label: 'Thank you',
  reminder: null,
  version: 1,
  subject: 'Thank you',
  body: 'Thank you.',
  made: 0,
  sent: 0,
};
const CASES = [
  { id: 2041, brand: 'Kelmora', domain: 'solmart.example', country: 'BE', engine: 'bing' },
  { id: 2042, brand: 'Kelmora', domain: 'other.example', country: 'FR', engine: 'google' },
];

let templates: object[];
let calls: { call: string; body: Record<string, unknown> }[];

async function respond(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const call = `${request.method} ${pathname}`;
  if (call === 'GET /api/actions') return Response.json({ data: CASES, meta: { page: { total: 2 } }, links: {} });
  if (call === 'GET /api/mailTemplates')
    return Response.json({
      data: search === '' ? templates : [REMINDER, { ...REMINDER, id: 4, version: 2, subject: 'Older' }],
    });
  const body = JSON.parse(await request.text());
  calls.push({ call, body });
  if (pathname.endsWith('/test')) return new Response(null, { status: 204 });
  if (pathname.endsWith('/preview')) {
    if (String(body.body).includes('{% if'))
      return Response.json(
        { error: { statusCode: 422, message: 'x', details: { messages: { body: ['line 1: unexpected end'] } } } },
        { status: 422 },
      );
    const holes = String(body.body).includes('{{ sender.firstName }}') ? ['sender.firstName'] : [];
    const data = { subject: `Reminder (VG-${body.actionID})`, body: body.body, holes, to: ['legal@solmart.example'] };
    return Response.json({ data });
  }
  return Response.json({ data: { ...REMINDER, ...body, id: 7, version: 4 } });
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['mailTemplates', 'common']);
});

beforeEach(() => {
  templates = [REMINDER, ANSWER];
  calls = [];
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

async function show(role: string, width = 1440) {
  await page.viewport(width, 900);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, { id: 1, email: 'a@b.example', roles: [{ id: 1, name: role }] } as never);
  const route = renderRoute('/$', MailTemplates, '/mail-templates', queries);
  await expect.element(page.getByRole('heading', { level: 1, name: 'Templates' })).toBeVisible();
  await expect.element(page.getByRole('heading', { level: 2, name: 'Reminder 1' })).toBeVisible();
  return { ...route, queries };
}

const field = (name: string) => page.getByRole('textbox', { name });

describe('the templates of mails to advertisers', () => {
  it('show what a template says on a real case, with its holes marked', async () => {
    await show('admin');
    await expect.element(page.getByText('2 templates · 1 language')).toBeVisible();
    const letter = page.getByTestId('letter');
    await expect.element(letter.getByText('sender.firstName')).toBeVisible();
    await expect.element(page.getByRole('status')).toHaveTextContent('1 hole: sender.firstName. Sending is refused.');
    await expect.element(page.getByText('1/2', { exact: true })).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Next case' }));
    await expect.element(page.getByText('Reminder (VG-2042)')).toBeVisible();
    await expect.element(page.getByText('Kelmora / other.example')).toBeVisible();
    await expect
      .element(page.getByRole('region', { name: 'Preview on a real case' }).getByText('25%', { exact: true }))
      .toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Add a fallback' }));
    await expect
      .element(field('Text'))
      .toHaveValue('Hello,\n\n{{ sender.firstName|default("The team") }} for {{ brand.label }}');
    await expect.poll(() => page.getByRole('status').elements().length).toBe(0);
  });

  it('leave a text under way to its author while somebody else saves a version', async () => {
    const { queries } = await show('admin');
    await userEvent.fill(field('Subject'), 'Under way');
    templates = [{ ...REMINDER, id: 9, version: 4, subject: 'By somebody else' }, ANSWER];
    await queries.refetchQueries();
    await expect.element(page.getByRole('button', { name: 'Publish version 4' })).toBeVisible();
    await expect.element(field('Subject')).toHaveValue('Under way');
    await userEvent.click(page.getByRole('button', { name: /^Thank you/ }));
    await userEvent.click(page.getByRole('button', { name: 'Leave' }));
    await expect.element(field('Subject')).toHaveValue('Thank you');
    await userEvent.click(page.getByRole('button', { name: /^Reminder 1/ }));
    await expect.element(field('Subject')).toHaveValue('By somebody else');
  });

  it('are changed as a next version by administrators', async () => {
    await show('admin');
    await expect.element(page.getByRole('button', { name: 'Publish version 4' })).toBeDisabled();
    await userEvent.fill(field('Subject'), 'Again {{ domain }}');
    await expect.element(page.getByText('Draft of version 4')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Publish version 4' }));
    await expect.element(page.getByText('Version 4 is saved.')).toBeVisible();
    const saved = calls.find(({ call }) => call === 'PATCH /api/mailTemplates/5');
    expect(saved?.body).toMatchObject({
      subject: 'Again {{ domain }}',
      type: 'reminder',
      reminder: 1,
      brandId: null,
      active: true,
    });
  });

  it('are read by operators', async () => {
    await show('operator');
    await expect.element(field('Subject')).toBeDisabled();
    expect(page.getByRole('button', { name: /Publish|New template|Put away/ }).elements()).toHaveLength(0);
    await userEvent.click(page.getByRole('button', { name: 'Send a test to myself' }));
    await expect.element(page.getByText('The test is on its way to you.')).toBeVisible();
    expect(calls.at(-1)).toMatchObject({
      call: 'POST /api/mailTemplates/test',
      body: { actionID: 2041, type: 'reminder' },
    });
  });

  it('are found by their words, and a new one is added with its values', async () => {
    await show('admin');
    await userEvent.fill(field('Search templates'), 'thank');
    expect(page.getByRole('navigation').getByRole('button').elements()).toHaveLength(1);
    await userEvent.click(page.getByRole('button', { name: 'New template' }));
    await userEvent.click(page.getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('Write a subject.')).toBeVisible();
    await userEvent.fill(field('Name'), 'Short');
    await userEvent.fill(field('Subject'), 'Hello');
    await userEvent.click(page.getByRole('button', { name: 'keywords' }));
    await expect.element(field('Text')).toHaveValue('{{ keywords }}');
    await userEvent.click(page.getByRole('button', { name: 'Save' }));
    await expect
      .poll(() => calls.find(({ call }) => call === 'POST /api/mailTemplates')?.body)
      .toMatchObject({
        label: 'Short',
        type: 'notification',
        language: 'fr',
        body: '{{ keywords }}',
        reminder: null,
      });
  });

  it('are not left with a changed text unless that is confirmed', async () => {
    const { push, path } = await show('admin');
    const button = (name: string) => page.getByRole('button', { name });
    await userEvent.fill(field('Subject'), 'Again');
    await userEvent.click(page.getByRole('navigation').getByRole('button', { name: 'Thank you' }));
    const question = page.getByRole('dialog', { name: 'Leave what you wrote?' });
    await userEvent.click(question.getByRole('button', { name: 'Cancel' }));
    await expect.element(question).not.toBeInTheDocument();
    await expect.element(field('Subject')).toHaveValue('Again');
    push('/elsewhere');
    await userEvent.click(question.getByRole('button', { name: 'Cancel' }));
    await expect.element(question).not.toBeInTheDocument();
    expect(path()).toBe('/mail-templates');
    await userEvent.click(button('New template'));
    await userEvent.click(button('Leave without saving'));
    await expect.element(page.getByRole('heading', { level: 2, name: 'New template' })).toBeVisible();
    push('/elsewhere');
    await expect.poll(path).toBe('/elsewhere');
  });

  it('say why a template does not work', async () => {
    await show('admin');
    await userEvent.fill(field('Text'), '{% if ads %}');
    await expect
      .element(page.getByRole('alert'))
      .toHaveTextContent('This template does not work. line 1: unexpected end');
  });

  it.each([390, 768, 1024, 1920])('fit into %i px', async (width) => {
    await show('admin', width);
    await expect.element(page.getByTestId('letter')).toBeInTheDocument();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
  });
});

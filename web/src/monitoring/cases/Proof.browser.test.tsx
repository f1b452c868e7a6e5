import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { Escalation } from './Escalation';
import { Proof } from './Proof';

const complaints = {
  obstacle: null as string | null,
  marks: [{ mark: 'Acme', office: 'EUIPO', number: '018000000' }],
  ads: 2,
  complaintNumber: null as string | null,
  complaints: [] as unknown[],
};
const proof = {
  acceptedDate: '2026-03-01T10:00:00Z',
  lastView: '2026-02-27T10:00:00Z',
  graceUntil: '2026-03-08T10:00:00Z',
  checks: [
    {
      acceptedDate: '2026-03-01T10:00:00Z',
      day: 1,
      dueDate: '2026-03-02T10:00:00Z',
      plannedDate: '2026-03-02T11:00:00Z',
      extra: 1,
      valid: 2,
      waiting: 0,
      failed: 1,
    },
    {
      acceptedDate: '2026-03-01T10:00:00Z',
      day: 3,
      dueDate: '2026-03-04T10:00:00Z',
      plannedDate: null,
      extra: 0,
      valid: 0,
      waiting: 0,
      failed: 0,
    },
  ],
  relapses: [
    {
      historyID: '9',
      acceptedDate: '2026-01-01T10:00:00Z',
      captureID: '0199a1b2-0000-7000-8000-000000000001',
      hasPage: true,
      seenDate: '2026-02-01T10:00:00Z',
      term: 'acme shoes',
      kind: 'ads',
      text: 'Acme half price',
      rank: 2,
    },
  ],
};

const sent = vi.fn<(body: string) => void>();

function show(component: () => React.ReactNode, data: unknown) {
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    if (request.method === 'PUT') {
      const body = await request.text();
      sent(body);
      const { number } = JSON.parse(body) as { number: string | null };
      return Response.json({ data: { ...(data as object), complaintNumber: number } });
    }
    return Response.json({ data });
  });
  renderRoute('/part', component, '/part');
}

beforeAll(async () => {
  await startTexts();
  await loadTexts(['proof', 'common']);
});

beforeEach(async () => {
  sent.mockReset();
  await i18next.changeLanguage('en');
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('offers the files of a complaint that can be made, and keeps its number', async () => {
  show(() => <Escalation id={7} />, complaints);
  await expect.element(page.getByText('2 ads have Acme in their text')).toBeVisible();
  const files = page.getByRole('link', { name: 'letter in French' });
  await expect.element(files).toHaveAttribute('href', '/api/actions/7/escalationPack?language=fr');
  const save = page.getByRole('button', { name: 'Save' });
  await expect.element(save).toBeDisabled();
  await userEvent.fill(page.getByLabelText('Number of the complaint'), ' 7-001 ');
  await save.click();
  await vi.waitFor(() => expect(sent).toHaveBeenCalledWith('{"number":"7-001"}'));
});

it('says what speaks against a complaint', async () => {
  show(() => <Escalation id={7} />, { ...complaints, obstacle: 'not-in-text' });
  await expect.element(page.getByText('the mark is in the text of no ad')).toBeVisible();
  expect(page.getByRole('link').elements()).toHaveLength(0);
});

it('shows the ad that was seen again, and what was looked at since the agreement', async () => {
  show(() => <Proof id={7} />, proof);
  await expect.element(page.getByText('Its ads were not seen since the agreement.')).toBeVisible();
  await expect.element(page.getByText('Acme half price')).toBeVisible();
  const opened = page.getByRole('link', { name: 'Open the page' });
  await expect.element(opened).toHaveAttribute('href', '/terms/capture/0199a1b2-0000-7000-8000-000000000001');
  await expect.element(page.getByText('Day 1: 2 pages looked at, 1 capture failed')).toBeVisible();
  await expect.element(page.getByText('Day 3: on 04/03/2026')).toBeVisible();
});

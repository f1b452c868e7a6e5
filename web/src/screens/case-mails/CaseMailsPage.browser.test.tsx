import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { isFramed } from '~/monitoring/mails/frame';
import { renderRoute } from '~/testing';
import { MailServer } from '~/testMailServer';
import { caseRow, meKey, operator } from '~/testMails';
import { CaseMailsPage } from './CaseMailsPage';

vi.mock('~/monitoring/mails/frame', { spy: true });

const ORIGIN = window.location.origin;
const told: unknown[] = [];

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  await page.viewport(900, 900);
  await i18next.changeLanguage('en');
  await loadTexts(['mailsOfCases', 'advertisers', 'market', 'list', 'common']);
  told.length = 0;
  vi.spyOn(window.parent, 'postMessage').mockImplementation((...sent: unknown[]) => void told.push(sent));
});

afterEach(async () => {
  cleanup();
  await new Promise((resolve) => setTimeout(resolve));
  vi.restoreAllMocks();
  window.localStorage.clear();
});

const screen = () => (
  <div style={{ display: 'flex', height: 800 }}>
    <CaseMailsPage />
  </div>
);

function show(framed: boolean, address = '/action/operator/list/7/embedded/true') {
  vi.mocked(isFramed).mockReturnValue(framed);
  const server = new MailServer();
  server.row = caseRow;
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meKey, operator);
  return { server, ...renderRoute('/action/operator/list/$id/embedded/true', screen, address, queries) };
}

const first = () => page.getByRole('button', { name: /Julien Martin/ });

it('is alone with the name of the case and the way to it', async () => {
  show(false);
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Maison Brivault / nordmart.example');
  await expect.element(page.getByRole('link', { name: 'Back to the case' })).toHaveAttribute('href', '/action/7');
  await expect.element(first()).toBeVisible();
  expect(told).toEqual([]);
});

it('says that it is ready in a frame, and is taken out of it by a link', async () => {
  show(true);
  await expect.element(first()).toBeVisible();
  expect(told).toContainEqual([{ type: 'ready' }, ORIGIN]);
  await expect.element(page.getByRole('link', { name: 'Open the e-mails alone' })).toHaveAttribute('target', '_blank');
  await expect.element(page.getByRole('link', { name: 'Back to the case' })).not.toBeInTheDocument();
});

it('reports a change of the status with its dates and history, and that the lists are stale', async () => {
  const { server } = show(true);
  await expect.element(first()).toBeVisible();
  const history = [
    ...caseRow.history,
    { ID: '9', status: 'accepted', date: '2025-10-05T10:00:00.000Z', previousDate: [] },
  ];
  server.row = {
    ...caseRow,
    status: 'accepted',
    lastStatusDate: '2025-10-05T10:00:00.000Z',
    history,
  } as typeof caseRow;
  // Reading the mail changes the counts of the case, which is loaded again.
  await expect
    .poll(() => told, { timeout: 5_000 })
    .toContainEqual([
      {
        type: 'status',
        data: {
          status: 'accepted',
          dates: expect.objectContaining({ lastStatusDate: '2025-10-05T10:00:00.000Z' }),
          history: expect.arrayContaining([expect.objectContaining({ ID: '9' })]),
        },
      },
      ORIGIN,
    ]);
  expect(told).toContainEqual([{}, ORIGIN]);
});

it('passes keys on that it does not use, but not those of fields, and takes those of its host', async () => {
  show(true);
  await expect.element(first()).toBeVisible();
  await userEvent.keyboard('nj[[');
  const keys = () =>
    told.flatMap((one) => {
      const [message] = one as [{ type?: string; key?: string }];
      return message.type === 'key' ? [message.key] : [];
    });
  expect(keys()).toEqual(['n', '[']);
  window.dispatchEvent(
    new MessageEvent('message', {
      data: { type: 'key', key: 'r' },
      origin: 'https://evil.example',
      source: window.parent,
    }),
  );
  window.dispatchEvent(
    new MessageEvent('message', { data: { type: 'key', key: 'r' }, origin: ORIGIN, source: window.parent }),
  );
  const text = page.getByRole('textbox', { name: 'Text' });
  await expect.element(text).toHaveFocus();
  await userEvent.keyboard('none');
  expect(keys()).toEqual(['n', '[']);
  await expect.element(text).toHaveValue('none');
});

it('opens the next case after sending, through its host', async () => {
  const { server } = show(true);
  await expect.element(first()).toBeVisible();
  await userEvent.keyboard('r');
  await expect.element(page.getByRole('textbox', { name: 'Text' })).toHaveFocus();
  await userEvent.keyboard('Thank you.{Control>}{Shift>}{Enter}{/Shift}{/Control}');
  await expect.poll(() => told).toContainEqual([{ type: 'key', key: ']' }, ORIGIN]);
  expect(server.of('POST emails/send')).toHaveLength(1);
});

it.each(['8', 'x', '99999999999'])('leads to the page for unknown addresses where there is no case %s', async (id) => {
  const { path } = show(false, `/action/operator/list/${id}/embedded/true`);
  await vi.waitFor(() => expect(path()).toBe('/404'));
});

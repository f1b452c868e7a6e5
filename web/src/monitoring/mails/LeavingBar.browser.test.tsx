import { cleanup } from '@testing-library/react';
import { useSyncExternalStore } from 'react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { toast } from '~/ui/toast';
import { LeavingBar } from './LeavingBar';
import { leavingMail, putLeaving } from './leaving';

const mail = { mailId: 50, caseId: '7', domain: 'nordmart.example', recipients: 2 };
const undone = vi.fn<() => Response>();

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  await i18next.changeLanguage('en');
  await loadTexts(['mailsOfCases', 'common']);
  undone.mockReset();
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { pathname } = new URL((input as Request).url);
    return pathname === '/api/actions/emails/50/undo' ? undone() : Response.json({ data: {} });
  });
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
  window.sessionStorage.clear();
});

function Place() {
  const leaving = useSyncExternalStore(leavingMail.subscribe, leavingMail.get);
  return leaving ? <LeavingBar leaving={leaving} /> : <p>nothing leaves</p>;
}

const bar = () => page.getByRole('region', { name: 'E-mail that is leaving' });

it('shows what leaves, also to a page that is loaded meanwhile, and goes when it has left', async () => {
  putLeaving({ ...mail, until: Date.now() + 1_500 });
  renderWithProviders(<Place />);
  await expect.element(bar()).toHaveTextContent('Sending to 2 recipients.nordmart.example');
  await expect.element(page.getByText('nothing leaves')).toBeVisible();
});

it('takes the mail back, and tells the page of its case', async () => {
  undone.mockReturnValue(Response.json({ data: { id: 50, version: 3 } }));
  renderWithProviders(<Place />);
  const seen: unknown[] = [];
  const stop = leavingMail.subscribe(() => seen.push(leavingMail.get()?.undone));
  putLeaving({ ...mail, until: Date.now() + 15_000 });
  await userEvent.click(bar().getByRole('button', { name: 'Undo' }));
  await expect.element(page.getByText('The e-mail was not sent; its draft is back.')).toBeVisible();
  await expect.element(bar()).not.toBeInTheDocument();
  expect(seen).toContain(true);
  stop();
});

it.each([
  [409, 'ALREADY_LEAVING', 'It is already leaving and cannot be taken back.'],
  [500, 'x', 'The e-mail could not be taken back.'],
])('says that it is too late, or that it failed: %i', async (status, code, text) => {
  undone.mockReturnValue(Response.json({ error: { statusCode: status, message: 'no', code } }, { status }));
  putLeaving({ ...mail, until: Date.now() + 15_000 });
  renderWithProviders(<Place />);
  await userEvent.click(bar().getByRole('button', { name: 'Undo' }));
  await expect.element(page.getByText(text)).toBeVisible();
  await expect.element(bar()).not.toBeInTheDocument();
});

it('hears of a mail that another frame of this tab has sent', async () => {
  renderWithProviders(<Place />);
  await expect.element(page.getByText('nothing leaves')).toBeVisible();
  const frame = document.createElement('iframe');
  document.body.append(frame);
  frame.contentWindow?.sessionStorage.setItem(
    'leavingMail:v1',
    JSON.stringify({ ...mail, until: Date.now() + 15_000 }),
  );
  await expect.element(bar()).toBeVisible();
  frame.remove();
});

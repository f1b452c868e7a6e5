import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { People } from './People';
import { usePresence } from './usePresence';

const said: { url: string; doing: string; page: string }[] = [];
const ann = { id: 3, name: 'Ann Archer', writes: false };
const bo = { id: 4, name: 'Bo Baker', writes: true };

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['actions', 'common']);
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.useRealTimers();
  said.length = 0;
});

function Bar() {
  return <People people={usePresence('7')} />;
}

function show(people: (typeof ann)[]) {
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    said.push({ url: request.url, ...(await request.json()) });
    return Response.json({ data: { people, elsewhere: false } });
  });
  return renderWithProviders(<Bar />);
}

it('shows the others on a case, those that write first, and says when the page is left', async () => {
  const { unmount } = show([ann, bo]);
  const people = page.getByRole('list', { name: 'Also here' });
  await expect.element(people).toBeVisible();
  expect((people.element() as HTMLElement).textContent).toMatch(/Bo Baker is writing an e-mail.*Ann Archer is looking/);
  expect(said).toEqual([
    expect.objectContaining({ url: expect.stringContaining('/api/actions/presence?actionID=7'), doing: 'looks' }),
  ]);
  unmount();
  await expect.poll(() => said.map(({ doing }) => doing)).toEqual(['looks', 'leaves']);
  expect(said[1]?.page).toBe(said[0]?.page);
});

it('says so every 20 seconds while it is in sight, and nothing while it is not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  show([]);
  await expect.poll(() => said.length).toBe(1);
  vi.advanceTimersByTime(40_000);
  await expect.poll(() => said.map(({ doing }) => doing)).toEqual(['looks', 'looks', 'looks']);
  await expect.element(page.getByRole('list', { name: 'Also here' })).not.toBeInTheDocument();
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  await expect.poll(() => said.at(-1)?.doing).toBe('leaves');
  vi.advanceTimersByTime(60_000);
  visibility.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  await expect.poll(() => said.map(({ doing }) => doing)).toEqual(['looks', 'looks', 'looks', 'leaves', 'looks']);
});

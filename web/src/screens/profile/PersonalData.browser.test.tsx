import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type Me, meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { areKeysOn } from '~/lib/keys';
import { renderRoute } from '~/testing';
import { PersonalData } from './PersonalData';

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['profile', 'avatar', 'login', 'common']);
});

afterEach(() => {
  cleanup();
  localStorage.clear();
});

it('switches single keys off and on at once, for this user', async () => {
  const queries = new QueryClient();
  queries.setQueryData(meQuery.queryKey, { id: 3, email: 'o@vigie.example', roles: [] } as unknown as Me);
  renderRoute('/profile', PersonalData, '/profile', queries);
  const keys = page.getByRole('switch', { name: 'Single keys' });
  await expect.element(keys).toBeChecked();
  await userEvent.click(keys);
  await expect.element(keys).not.toBeChecked();
  expect([areKeysOn(3), areKeysOn(4)]).toEqual([false, true]);
  await userEvent.click(keys);
  expect(areKeysOn(3)).toBe(true);
});

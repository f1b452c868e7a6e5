import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { formatsOf } from '~/lib/formats';
import { renderWithProviders } from '~/testing';
import { filterEntries } from '../entries';
import type { ListPath } from '../types';
import { FilterField } from './FilterField';

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['list']);
});

afterEach(cleanup);

const texts = { own: (key: string) => key, list: (key: string) => key, fmt: formatsOf('en') };

/** The filter Brand of a list, with one option. */
function brandFilter(path: ListPath, option: string) {
  const search = async () => [{ value: 1, label: option }];
  const brand = { kind: 'asyncChoice', label: 'Brand', group: 'All', search } as const;
  const [entry] = filterEntries({ path, filters: { brand } }, {}, {}, texts);
  return entry && <FilterField entry={entry} filters={{}} texts={texts} onChange={() => undefined} />;
}

it('offers the options of its own list, where another list has a filter of the same label', async () => {
  renderWithProviders(
    <>
      {brandFilter('/terms', 'Brivault')}
      {brandFilter('/tags', 'Kelmora')}
    </>,
  );
  const [terms, tags] = [page.getByRole('combobox').nth(0), page.getByRole('combobox').nth(1)];
  await userEvent.click(terms);
  await expect.element(page.getByRole('option', { name: 'Brivault' })).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await userEvent.click(tags);
  await expect.element(page.getByRole('option', { name: 'Kelmora' })).toBeVisible();
});

import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { dayjs } from '~/lib/dates';
import { caseOf, listOf, nothingAround, rowOf, server, show } from '~/testCase';

vi.mock('~/monitoring/mails/CaseMailFrame', () => ({ CaseMailFrame: () => <div /> }));

const daysAgo = (days: number) => dayjs().subtract(days, 'day').toISOString();

const others = [
  rowOf(11, { engine: 'bing', country: 'BE', countries: ['BE'], status: 'requested', lastView: daysAgo(3) }),
  rowOf(12, { status: 'new', lastView: daysAgo(99) }),
  rowOf(13, { status: 'new', lastView: daysAgo(101) }),
  rowOf(14, { status: 'accepted', brand: 'Kestrel Outlet', lastView: null }),
];

const asked = vi.fn<(query: URLSearchParams) => void>();

function showOthers(rows: unknown[] = others) {
  asked.mockReset();
  server.get.mockImplementation((path, query) => {
    if (path !== '/api/actions') return nothingAround(path);
    asked(query);
    return listOf([rows[0], rowOf(7), ...rows.slice(1)].filter(Boolean));
  });
  return show();
}

const region = () => page.getByRole('region', { name: 'Other conversations with this advertiser' });
const dialog = () => page.getByRole('dialog', { name: 'Other conversations with this advertiser' });
const domains = (within: typeof region) =>
  within()
    .getByRole('link')
    .elements()
    .map(({ textContent }) => textContent);

it('asks for all cases of the advertiser at once, and shows the first of the others in a table', async () => {
  showOthers();
  await expect.element(region().getByRole('table')).toBeVisible();
  const [query] = asked.mock.calls[0] ?? [];
  expect(Object.fromEntries(query ?? [])).toEqual({
    advertiserID: '100',
    'page[size]': '500',
    noPaging: 'true',
    sortBy: '-lastStatusDate',
  });
  expect(
    region()
      .getByRole('columnheader')
      .elements()
      .map(({ textContent }) => textContent),
  ).toEqual(['Engine', 'Domain', 'Country', 'Last status', 'Status', 'Received', 'Sent']);
  expect(domains(region)).toEqual(['shop11.example', 'shop12.example', 'shop13.example']);
  const row = region().getByRole('row').nth(1);
  await expect.element(row).toHaveTextContent('Bing');
  await expect.element(row).toHaveTextContent('24/09/2025 12:00');
  await expect.element(row).toHaveTextContent('requestedReceived 1Sent 3');
  await expect.element(row.getByRole('img', { name: 'Belgium' })).toBeVisible();
});

it('opens a conversation in a new tab', async () => {
  showOthers();
  const link = region().getByRole('link', { name: 'Open the case of shop11.example in a new tab' });
  await expect.element(link).toHaveAttribute('href', '/action/11');
  await expect.element(link).toHaveAttribute('target', '_blank');
});

it('says that there is no other conversation', async () => {
  showOthers([]);
  await expect.element(region()).toHaveTextContent('No other conversation.');
  expect(region().getByRole('button').elements()).toEqual([]);
});

it('knows no conversations of a case without an advertiser', async () => {
  server.case = caseOf({ advertiserID: null });
  showOthers();
  await expect.element(region()).toHaveTextContent('No other conversation.');
  expect(asked).not.toHaveBeenCalled();
});

it('opens all conversations on new ones that were seen lately, as two filters that can be taken away', async () => {
  showOthers();
  await userEvent.click(region().getByRole('button', { name: 'See all conversations (4)' }));
  await expect.element(dialog()).toBeVisible();
  expect(domains(dialog)).toEqual(['shop12.example']);
  const seen = dialog().getByRole('button', { name: 'Remove the filter last 30 days' });
  await userEvent.hover(seen);
  // By the calendar: days are not all of 24 hours.
  const day = (days: number) => dayjs().subtract(days, 'day').format('DD/MM/YYYY');
  await expect.element(page.getByRole('tooltip', { name: `Last seen from ${day(99)} to ${day(0)}` })).toBeVisible();
  await userEvent.click(seen);
  expect(domains(dialog)).toEqual(['shop12.example', 'shop13.example']);
  await userEvent.click(dialog().getByRole('button', { name: 'Remove the filter new' }));
  expect(domains(dialog)).toEqual(['shop11.example', 'shop12.example', 'shop13.example', 'shop14.example']);
  await userEvent.click(dialog().getByRole('button', { name: 'Put the filters back' }));
  expect(domains(dialog)).toEqual(['shop12.example']);
});

it('searches in all conversations, which the key / opens', async () => {
  showOthers();
  await expect.element(region().getByRole('table')).toBeVisible();
  await userEvent.keyboard('/');
  const search = dialog().getByRole('searchbox', { name: 'Search in the conversations' });
  await expect.element(search).toHaveFocus();
  await userEvent.click(dialog().getByRole('button', { name: 'Remove the filter last 30 days' }));
  await userEvent.click(dialog().getByRole('button', { name: 'Remove the filter new' }));
  await userEvent.fill(search, 'kestrel');
  expect(domains(dialog)).toEqual(['shop14.example']);
  await userEvent.fill(search, 'BELG');
  expect(domains(dialog)).toEqual(['shop11.example']);
  await userEvent.fill(search, 'nothing like it');
  await expect.element(dialog()).toHaveTextContent('No conversation matches.');
});

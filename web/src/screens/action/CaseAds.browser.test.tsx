import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { caseOf, failing, nothingAround, READING, server, show } from '~/testCase';

vi.mock('~/monitoring/mails/CaseMailFrame', () => ({ CaseMailFrame: () => <div /> }));

const ad = (id: number, change: object = {}) => ({
  resultId: `capture-${id}`,
  pageKept: true,
  domain: 'shop7.example',
  type: 'ads',
  engine: 'google',
  device: 'desktop',
  country: 'FR',
  language: 'fr',
  title: `Bags ${id}`,
  description: 'Delivered in two days.',
  displayUrl: 'www.shop7.example/bags',
  targetUrl: 'https://www.shop7.example/p/1',
  aclkUrls: [],
  image: '',
  price: '',
  comparatorName: '',
  comparatorUrl: '',
  keywords: ['bags'],
  views: 3,
  realPositionAvg: 2,
  advertisementFirstSeen: '2025-10-01T10:00:00.000Z',
  advertisementLastSeen: '2025-10-14T06:14:00.000Z',
  ...change,
});

const asked = vi.fn<(type: string | null, limit: string | null) => unknown>();

function showAds(counts: object = { countAdvertisement: 8, countShopping: 2 }) {
  asked
    .mockReset()
    .mockImplementation((type) =>
      type === 'ads'
        ? [1, 2, 3, 4, 5].map((id) => ad(id))
        : [ad(9, { type, price: '12,90 €', realPositionAvg: null, positionAvg: 1.5 })],
    );
  server.get.mockImplementation((path, query) => {
    if (path === '/api/advertisement/count') return counts;
    if (path === '/api/advertisement') return asked(query.get('type'), query.get('limit'));
    return nothingAround(path);
  });
  show();
}

const classical = () => page.getByRole('button', { name: /^Classical advertisement/ });
const shopping = () => page.getByRole('button', { name: /^Shopping advertisement/ });

it('shows the number of ads of each kind, and five of the kind that is open', async () => {
  showAds();
  await expect.element(classical()).toHaveTextContent('Classical advertisement8');
  await expect.element(shopping()).toHaveTextContent('Shopping advertisement2');
  await expect.element(page.getByText('Bags 5')).toBeVisible();
  expect(asked.mock.calls).toEqual([['ads', '5']]);
  await userEvent.click(shopping());
  await expect.element(page.getByText('12,90 €')).toBeVisible();
  expect(asked.mock.calls.at(-1)).toEqual(['shopping', '5']);
  await userEvent.click(classical());
  await expect.element(page.getByText('Bags 5')).not.toBeInTheDocument();
});

it('shows of an ad when and where it was seen, and leads to its capture', async () => {
  showAds();
  const entry = page.getByRole('listitem').filter({ hasText: 'Bags 1' });
  await expect.element(entry).toHaveTextContent('14/10/2025 08:14 · position 2 · capture');
  await expect
    .element(entry.getByRole('link', { name: 'Capture of Bags 1' }))
    .toHaveAttribute('href', '/terms/capture/capture-1?domain=shop7.example&adstype=ads');
  await expect
    .element(entry.getByRole('link', { name: 'Bags 1', exact: true }))
    .toHaveAttribute('href', 'https://www.shop7.example/p/1');
});

it('has no link to a page that was not kept, nor to an address that may not be opened', async () => {
  showAds();
  asked.mockImplementation(() => [ad(1, { pageKept: false, targetUrl: 'javascript:alert(1)' })]);
  const entry = page.getByRole('listitem').filter({ hasText: 'Bags 1' });
  await expect.element(entry).toHaveTextContent('page not kept');
  expect(entry.getByRole('link').elements()).toEqual([]);
});

it('copies an ad as text', async () => {
  const copied = vi.fn<(text: string) => Promise<void>>().mockResolvedValue();
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(copied);
  showAds();
  await userEvent.click(page.getByRole('button', { name: 'Copy Bags 1 as text' }));
  expect(copied.mock.calls[0]?.[0].split('\n')).toEqual([
    'Bags 1',
    'www.shop7.example/bags',
    'Delivered in two days.',
    '14/10/2025 08:14, position 2',
    `${window.location.origin}/public-html-ad-content/capture-1?domain=shop7.example&adstype=ads`,
  ]);
});

it('says that there is no ad of a kind', async () => {
  showAds({ countAdvertisement: 0, countShopping: 0 });
  asked.mockImplementation(() => []);
  await expect.element(page.getByText('No text ad in the stored captures.')).toBeVisible();
  await userEvent.click(shopping());
  await expect.element(page.getByText('No shopping ad in the stored captures.')).toBeVisible();
  await expect.element(shopping()).toHaveTextContent('Shopping advertisement0');
});

it('offers to load ads again within their panel', async () => {
  showAds();
  asked.mockImplementation(() => failing(500));
  const panel = page.getByRole('alert');
  await expect.element(panel).toBeVisible();
  asked.mockImplementation(() => [ad(1)]);
  await userEvent.click(panel.getByRole('button'));
  await expect.element(page.getByText('Bags 1')).toBeVisible();
});

it('says where a case has no ads to look for', async () => {
  const { getAdvertisements: _, countAdvertisements: __, ...links } = READING;
  server.case = caseOf({ links });
  show();
  await expect.element(page.getByText('The ads are not available for this case.')).toBeVisible();
});

import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type Me, meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { toast } from '~/ui/toast';
import { Start, type StartForms } from './Start';

const administrator = { id: 1, email: 'a@vigie.example', roles: [{ name: 'admin' }] } as unknown as Me;
const operator = { id: 2, email: 'o@vigie.example', roles: [{ name: 'operator' }] } as unknown as Me;

/** What the company has. */
let has: { brands: object[]; domains: object[]; terms: number; users: number; valid: number };
const kelmora = { id: 7, label: 'Kelmora', validated: true };
let views: { id: number; name: string }[];
let failing: string | undefined;
const sent = vi.fn<(call: string, body: unknown) => void>();

async function respond(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const call = `${request.method} ${pathname}`;
  if (request.method !== 'GET') {
    const text = await request.text();
    sent(call, text === '' ? undefined : JSON.parse(text));
  }
  if (call === failing)
    return Response.json({ error: { statusCode: 500, message: 'Internal Server Error' } }, { status: 500 });
  switch (call) {
    case 'GET /api/CompanyAccounts':
      return Response.json([{ id: 4, label: 'Kelmora Retail', brands: has.brands }]);
    case 'GET /api/CompanyAccounts/4':
      return Response.json({ id: 4, label: 'Kelmora Retail', brands: has.brands });
    case 'GET /api/Categories':
      return Response.json(has.domains);
    case 'GET /api/Terms':
      return Response.json(has.terms > 0 ? [{ id: 51 }] : []);
    case 'GET /api/Terms/count': {
      const isWithoutBrand = request.url.includes(encodeURIComponent('"brandId":null'));
      return Response.json({ count: isWithoutBrand ? Math.min(has.terms, 1) : has.terms });
    }
    case 'GET /api/UserAccounts/count':
      return Response.json({ count: has.users });
    case 'GET /api/coverage':
      return Response.json({ data: { valid: has.valid, planned: 9 }, meta: { places: [], terms: [] } });
    case 'GET /api/savedViews':
      return Response.json({ data: views });
    case 'POST /api/savedViews':
      views = [{ id: 31, name: '4' }];
      return Response.json(views[0]);
    default:
      return Response.json({});
  }
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['start', 'common']);
});

beforeEach(async () => {
  await page.viewport(1440, 900);
  has = { brands: [], domains: [], terms: 0, users: 0, valid: 0 };
  views = [];
  failing = undefined;
  sent.mockReset();
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

/** Forms that are done by one click. */
const forms: StartForms = {
  Brand: ({ company, onClose }) => (
    <button
      type="button"
      onClick={() => {
        has.brands = [kelmora];
        onClose();
      }}
    >
      {`save a brand of ${company.label}`}
    </button>
  ),
  Domains: ({ brand }) => <p>{`domains of ${brand.id}`}</p>,
  Terms: () => null,
};

function show(me: Me, address = '/start') {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, me);
  renderRoute('/start', () => <Start forms={forms} />, address, queries);
}

const steps = () => page.getByRole('listitem');
const current = () => document.querySelector('[aria-current="step"] h2')?.textContent;

it.each([390, 1440])('leads from one step to the next as their rows come, at %i px', async (width) => {
  await page.viewport(width, 900);
  show(administrator);
  await expect.element(page.getByText('0 of 5 steps done')).toBeVisible();
  expect(current()).toBe('Brand');
  await expect.element(page.getByRole('button', { name: 'Add terms' })).toBeDisabled();
  await expect.element(steps().nth(1)).toHaveTextContent('First create a brand.');
  await userEvent.click(page.getByRole('button', { name: 'Create the brand' }));
  await userEvent.click(page.getByRole('button', { name: 'save a brand of Kelmora Retail' }));
  await expect.element(page.getByText('1 of 5 steps done')).toBeVisible();
  expect(current()).toBe('Official domains');
  await userEvent.click(page.getByRole('button', { name: 'Domains of Kelmora' }));
  await expect.element(page.getByText('domains of 7')).toBeVisible();
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
});

it('waits for the first capture, and shows where it is seen', async () => {
  has = {
    brands: [kelmora],
    domains: [{ brandOwnerId: 7, dealers: [{ id: 1 }] }],
    terms: 12,
    users: 2,
    valid: 0,
  };
  show(administrator);
  await expect.element(page.getByText('4 of 5 steps done')).toBeVisible();
  await expect.element(steps().nth(2)).toHaveTextContent('12 active terms, 1 of them without a brand');
  await expect.element(steps().nth(4)).toHaveTextContent('waiting for the first capture');
  cleanup();
  has.valid = 3;
  show(administrator);
  await expect.element(page.getByText('All steps are done.')).toBeVisible();
  await expect
    .element(page.getByRole('link', { name: 'See who advertises' }))
    .toHaveAttribute('href', expect.stringContaining('brandID='));
});

it('does not take a brand for done before it is validated', async () => {
  has.brands = [{ ...kelmora, validated: false }];
  show(administrator);
  await expect.element(steps().nth(0)).toHaveTextContent('Kelmora. Not validated yet');
  expect(current()).toBe('Brand');
  const link = page.getByRole('link', { name: 'Validate it' });
  await expect.element(link).toHaveAttribute('href', expect.stringMatching(/^\/brands\?id=/));
});

it('shows operators what is there, without what they may not do', async () => {
  show(operator);
  await expect.element(page.getByText('0 of 4 steps done')).toBeVisible();
  expect(page.getByRole('heading', { name: 'Users' }).query()).toBeNull();
  expect(page.getByRole('button', { name: 'Create the brand' }).query()).toBeNull();
  await expect.element(page.getByText('An administrator does this.').first()).toBeVisible();
});

it('is put off and offered again for this user, and says why it could not be', async () => {
  show(administrator);
  failing = 'POST /api/savedViews';
  await userEvent.click(page.getByRole('button', { name: 'Not now' }));
  await expect.element(page.getByText('an error occurred')).toBeVisible();
  failing = undefined;
  await userEvent.click(page.getByRole('button', { name: 'Not now' }));
  await expect.element(page.getByText('The dashboard does not offer this for now.')).toBeVisible();
  expect(sent).toHaveBeenLastCalledWith('POST /api/savedViews', {
    name: '4',
    path: '/start',
    search: {},
    columns: {},
    shared: false,
  });
  views = [{ id: 31, name: '4' }];
  await userEvent.click(page.getByRole('button', { name: 'Offer it again' }));
  await vi.waitFor(() => expect(sent).toHaveBeenLastCalledWith('DELETE /api/savedViews/31', undefined));
});

it('says that a company account is gone, and shows the newest instead', async () => {
  const found = vi.mocked(window.fetch).getMockImplementation();
  vi.spyOn(window, 'fetch').mockImplementation(async (input) =>
    (input as Request).url.includes('/CompanyAccounts/9')
      ? Response.json({ error: { statusCode: 404, message: 'Unknown id' } }, { status: 404 })
      : (found?.(input) ?? Response.json([])),
  );
  show(administrator, '/start?company=9');
  await userEvent.click(page.getByRole('button', { name: 'Show the newest one' }));
  await expect.element(page.getByText('0 of 5 steps done')).toBeVisible();
});

it('begins with a company account where there is none', async () => {
  vi.spyOn(window, 'fetch').mockImplementation(async () => Response.json([]));
  show(administrator);
  await expect.element(page.getByText('There is no company account yet')).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Create a company account' })).toBeVisible();
});

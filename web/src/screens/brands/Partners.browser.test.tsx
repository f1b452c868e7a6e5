import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { BrandRow } from '~/api/queries/brands';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { toast } from '~/ui/toast';
import { Partners } from './Partners';

const brand = { id: '2', label: 'Kelmora' } as BrandRow;

const STORED = {
  id: 7,
  domain: 'partner.example',
  kind: 'reseller',
  forbiddenWords: ['outlet'],
  belowOwn: true,
  endsOn: '2020-01-31',
  note: 'Until the sale',
  version: 3,
};

let partners: object[];
let calls: { call: string; body: unknown }[];
let refuse: (call: string) => Response | undefined;

async function respond(request: Request): Promise<Response> {
  const call = `${request.method} ${new URL(request.url).pathname}`;
  if (call.endsWith('officialDomainsPreview'))
    return Response.json({ data: { open: 2, ignored: 0 }, meta: { ignored: [] } });
  if (call === 'GET /api/Brands/2/partners') return Response.json({ data: partners });
  const text = await request.text();
  calls.push({ call, body: text === '' ? undefined : JSON.parse(text) });
  const refused = refuse(call);
  if (refused) return refused;
  if (request.method === 'DELETE') {
    partners = [];
    return new Response(null, { status: 204 });
  }
  return Response.json(STORED);
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['brands', 'common']);
});

beforeEach(() => {
  partners = [STORED];
  calls = [];
  refuse = () => undefined;
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

const dialog = () => page.getByRole('dialog');
const field = (name: string) => dialog().getByRole('textbox', { name });
const save = () => dialog().getByRole('button', { name: 'Save' });

async function show(width = 1440) {
  await page.viewport(width, 900);
  renderWithProviders(<Partners brand={brand} onClose={() => {}} />);
  await expect.element(dialog().getByRole('button', { name: 'Add a partner' })).toBeVisible();
}

describe('the partners of a brand', () => {
  it('are listed with their conditions', async () => {
    await show();
    await expect
      .element(dialog().getByRole('listitem'))
      .toHaveTextContent("without: outlet · below the brand's own ads · ended on 31/01/2020");
    await expect.element(dialog().getByText('Until the sale')).toBeVisible();
  });

  for (const width of [1440, 390])
    it(`are added once their fields are right, at ${width} px`, async () => {
      await show(width);
      await userEvent.click(dialog().getByRole('button', { name: 'Add a partner' }));
      await userEvent.fill(field('Domain'), 'no domain');
      await userEvent.fill(field('Note'), 'n'.repeat(5_001));
      await userEvent.click(save());
      await expect.element(dialog().getByText('Enter a domain name')).toBeVisible();
      await expect.element(dialog().getByText('At most 5,000 characters')).toBeVisible();
      expect(calls).toEqual([]);

      await userEvent.fill(field('Domain'), 'www.Shop.example');
      await userEvent.fill(field('Note'), '');
      await expect.element(dialog().getByText(/^2 open cases against this domain stay open/)).toBeVisible();
      await userEvent.click(dialog().getByRole('radio', { name: 'Reseller' }));
      await userEvent.fill(dialog().getByRole('combobox', { name: 'Forbidden words' }), 'outlet,cheap,');
      await userEvent.click(dialog().getByRole('checkbox', { name: "Below the brand's own ads" }));
      await userEvent.fill(dialog().getByLabelText('Last day'), '2030-12-31');
      await userEvent.click(save());
      await expect.element(page.getByText('Partner saved')).toBeVisible();
      expect(calls).toEqual([
        {
          call: 'POST /api/Brands/2/partners',
          body: {
            domain: 'shop.example',
            kind: 'reseller',
            forbiddenWords: ['outlet', 'cheap'],
            belowOwn: true,
            endsOn: '2030-12-31',
            note: null,
          },
        },
      ]);
      await expect.element(dialog().getByRole('button', { name: 'Add a partner' })).toBeVisible();
    });

  it('that somebody else changed meanwhile are not overwritten, and nothing typed is lost', async () => {
    refuse = () => Response.json({ error: { statusCode: 409, message: 'changed' } }, { status: 409 });
    await show();
    await userEvent.click(dialog().getByRole('button', { name: 'Change partner.example' }));
    await userEvent.fill(field('Note'), 'longer');
    await userEvent.click(save());
    await expect.element(page.getByRole('alert')).toBeVisible();
    expect(calls).toMatchObject([{ call: 'PUT /api/Brands/2/partners/7', body: { note: 'longer', version: 3 } }]);
    await expect.element(field('Note')).toHaveValue('longer');
  });

  it('are removed after a confirmation', async () => {
    await show();
    await userEvent.click(dialog().getByRole('button', { name: 'Remove partner.example' }));
    await userEvent.click(
      page.getByRole('dialog', { name: 'Remove partner.example?' }).getByRole('button', { name: 'Remove' }),
    );
    await expect.element(page.getByText('Partner removed')).toBeVisible();
    expect(calls.map(({ call }) => call)).toEqual(['DELETE /api/Brands/2/partners/7']);
    await expect.element(dialog().getByText(/^No partner yet/)).toBeVisible();
  });
});

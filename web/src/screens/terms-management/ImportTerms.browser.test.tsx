import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { MOST_IMPORT_BYTES } from '~/api/queries/termImport';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { toast } from '~/ui/toast';
import { ImportTerms } from './ImportTerms';

const created = (line: number) => ({
  line,
  outcome: 'created',
  term: `brivault ${line}`,
  changes: [{ column: 'term', to: `brivault ${line}` }],
});

const plan = {
  token: 'file.plan',
  counts: { created: 60, changed: 1, unchanged: 1, refused: 1 },
  ignored: ['Notes'],
  cost: {
    terms: 61,
    perDay: { before: 10, after: 1_250 },
    engines: [
      {
        engine: 'google',
        country: null,
        limitPerHour: 1_000,
        perHour: { before: 300, after: 380 },
        share: { before: 0.3, after: 0.38 },
      },
    ],
    quotas: [{ companyAccountID: 5, name: 'Brivault Group', quota: 100, perMonth: { before: 40, after: 120 } }],
  },
  lines: [
    ...Array.from({ length: 60 }, (_, place) => created(place + 2)),
    { line: 62, outcome: 'changed', term: 'sac', id: 7, changes: [{ column: 'brand', from: '', to: 'Corvane' }] },
    { line: 63, outcome: 'unchanged', term: 'bague', id: 8 },
    {
      line: 64,
      outcome: 'refused',
      term: 'foulard',
      problems: [{ column: 'localization', code: 'unknown', value: 'Pariss', nearest: 'Paris' }],
    },
  ],
};

/** The answers that follow: a plan, or the status and code of a refusal. */
let answers: (object | [number, string])[];
let sent: { token: string | null; file: string }[];
const onClose = vi.fn();

async function respond(request: Request): Promise<Response> {
  const form = await request.formData();
  const file = form.get('file') as File;
  sent.push({ token: new URL(request.url).searchParams.get('token'), file: await file.text() });
  const next = answers.shift();
  if (!Array.isArray(next)) return Response.json({ data: next });
  const [statusCode, code] = next;
  return Response.json({ error: { statusCode, code, message: code } }, { status: statusCode });
}

const dialog = () => page.getByRole('dialog', { name: 'Import terms' });
const apply = () => dialog().getByRole('button', { name: /^Apply/ });
const lines = () =>
  dialog()
    .getByRole('rowheader')
    .elements()
    .map(({ textContent }) => textContent);

async function choose(file: File) {
  const input = document.querySelector<HTMLInputElement>('input[type=file]');
  await userEvent.upload(input as HTMLInputElement, file);
}

const csv = () => new File(['Term\nbrivault\n'], 'terms.csv', { type: 'text/csv' });

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['settingTerms', 'list', 'common', 'market']);
});

beforeEach(async () => {
  await page.viewport(1440, 900);
  answers = [];
  sent = [];
  onClose.mockClear();
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
  renderWithProviders(<ImportTerms onClose={onClose} />);
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

describe('the import of terms', () => {
  it('shows what each line would do, the refused ones first, and does it', async () => {
    answers = [plan, { ...plan, lines: [] }];
    await choose(csv());
    await expect.element(dialog()).toHaveTextContent('What terms.csv would do');
    await expect.element(dialog()).toHaveTextContent('Location: “Pariss” is not known. Did you mean “Paris”?');
    expect(lines()).toEqual(['foulard']);
    const cost = dialog().getByRole('status');
    await expect.element(cost).toHaveTextContent('+1,240 captures a day, 38% of what Google may be asked per hour');
    await expect.element(cost).toHaveTextContent('This exceeds the quota of Brivault Group, and will be refused.');
    await expect.element(dialog()).toHaveTextContent('1 column is not known and is ignored: Notes');
    await userEvent.click(dialog().getByText('changed · 1', { exact: true }));
    await expect.element(dialog()).toHaveTextContent('Brand nothing → Corvane');
    await userEvent.click(dialog().getByText('all · 63'));
    await vi.waitFor(() => expect(lines()).toHaveLength(50));
    await userEvent.click(dialog().getByRole('button', { name: 'Show more lines' }));
    await vi.waitFor(() => expect(lines()).toHaveLength(63));
    await expect.element(dialog()).toHaveTextContent('1 refused line is left out.');
    await userEvent.click(dialog().getByRole('button', { name: 'Apply 61 lines' }));
    await expect.element(page.getByText('60 terms added · 1 term changed')).toBeVisible();
    expect(onClose).toHaveBeenCalled();
    expect(sent).toEqual([
      { token: null, file: 'Term\nbrivault\n' },
      { token: 'file.plan', file: 'Term\nbrivault\n' },
    ]);
  });

  it('has nothing to apply when every line is there already or refused', async () => {
    answers = [{ ...plan, counts: { created: 0, changed: 0, unchanged: 1, refused: 1 }, lines: plan.lines.slice(61) }];
    await choose(csv());
    await expect.element(dialog()).toHaveTextContent('There is nothing to apply');
    await expect.element(apply()).toBeDisabled();
  });

  it('checks again when somebody changed the terms meanwhile, and loses nothing', async () => {
    answers = [plan, [409, 'IMPORT_ROWS_CHANGED'], { ...plan, token: 'file.other' }, { ...plan, lines: [] }];
    await choose(csv());
    await userEvent.click(apply());
    await expect.element(dialog()).toHaveTextContent('Somebody changed these terms since the file was checked.');
    await userEvent.click(dialog().getByRole('button', { name: 'Check again' }));
    await userEvent.click(apply());
    await vi.waitFor(() => expect(sent.at(-1)?.token).toBe('file.other'));
  });

  it('says why a file is not read, and takes another', async () => {
    answers = [[422, 'IMPORT_NO_TERMS'], plan];
    await choose(csv());
    await expect.element(dialog()).toHaveTextContent('This file has no column of terms.');
    await choose(csv());
    await expect.element(dialog()).toHaveTextContent('What terms.csv would do');
  });

  it('does not send a file that is too large', async () => {
    await choose(new File([new Uint8Array(MOST_IMPORT_BYTES + 1)], 'large.csv'));
    await expect.element(dialog()).toHaveTextContent('This file is larger than 8 MB.');
    expect(sent).toEqual([]);
  });

  it('fits a telephone', async () => {
    await page.viewport(390, 844);
    answers = [plan];
    await choose(csv());
    await expect.element(dialog()).toHaveTextContent('What terms.csv would do');
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
    await expect.element(apply()).toBeVisible();
  });
});

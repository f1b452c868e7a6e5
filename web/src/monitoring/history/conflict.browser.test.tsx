import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { AsOf } from '~/api/asOf';
import { changeTerms, type SettingTermRow } from '~/api/queries/settingTerms';
import { ConflictPlace } from '~/app/shell/ConflictPlace';
import { i18next, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { KeptTheirs, openConflict, unlessChanged } from '~/ui/conflict';
import { toast } from '~/ui/toast';

const SEEN = '1795000000000000-7:7:' as AsOf;
const TOLD = '1795000000000009-9:9:' as AsOf;

/** Method, path and what was seen of each request. */
let called: string[];
let respond: (request: Request) => Response;

const refusal = (count: number, names: readonly string[]) => {
  const rows = names.map((name, place) => ({ id: place + 1, name }));
  const details = { context: 'Term', changed: { count, rows, asOf: TOLD } };
  return Response.json({ error: { statusCode: 409, code: 'CHANGED_SINCE_SEEN', details } }, { status: 409 });
};

const trail = {
  data: [
    {
      id: 9,
      at: '2026-11-01T10:00:00Z',
      by: { kind: 'person', name: 'Ana Roche', as: null },
      event: 'change',
      changes: [{ field: 'state', before: 'disabled', after: 'enabled' }],
      link: null,
    },
  ],
  names: {},
  next: null,
};

const isTrail = ({ url }: Request) => url.includes('/api/Trails/');
const dialog = () => page.getByRole('dialog', { name: 'Changed by somebody else' });
const rows = (count: number) =>
  Array.from({ length: count }, (_, place) => ({ id: String(place), termId: place, asOf: SEEN }) as SettingTermRow);
const archive = (count: number) =>
  unlessChanged(SEEN, (seen) => changeTerms({ rows: rows(count) }, { state: 'archived' }, seen));

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  await i18next.changeLanguage('en');
  called = [];
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, searchParams } = new URL(request.url);
    const seen = request.headers.get('X-Seen-At') ?? searchParams.get('since');
    called.push([request.method, pathname, seen].filter(Boolean).join(' '));
    return respond(request);
  });
});

afterEach(() => {
  openConflict.get()?.decide(false);
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

it('shows what somebody else did, and overwrites it when told to', async () => {
  let refused = 0;
  respond = (request) => {
    if (isTrail(request)) return Response.json(trail);
    if (refused === 1) return Response.json({ id: 0 });
    refused += 1;
    return refusal(1, ['red shoes']);
  };
  renderWithProviders(<ConflictPlace />);
  const done = archive(1);
  await expect.element(dialog()).toHaveTextContent('Somebody else has changed a term since it was shown to you.');
  const changed = page.getByRole('region', { name: 'red shoes' });
  await expect.element(changed).toHaveTextContent(/Ana Roche.*Statedisabled → becomesenabled/);
  await userEvent.click(page.getByRole('button', { name: 'Overwrite' }));
  await done;
  await expect.element(dialog()).not.toBeInTheDocument();
  expect(called).toEqual([
    `PATCH /api/Terms/0 ${SEEN}`,
    `GET /api/Trails/Term/1 ${SEEN}`,
    // What comes after that, too, is not overwritten unseen.
    `PATCH /api/Terms/0 ${TOLD}`,
  ]);
});

it('keeps theirs, closes what asked, says no failure and loads the rows again', async () => {
  respond = (request) => (isTrail(request) ? Response.json(trail) : refusal(1, ['red shoes']));
  const queries = new QueryClient();
  const reloaded = vi.spyOn(queries, 'invalidateQueries');
  const onClose = vi.fn();
  const act = async () => void (await archive(1));
  renderWithProviders(
    <>
      <ConfirmModal title="Archive" text="Really?" confirm="Archive it" act={act} onClose={onClose} />
      <ConflictPlace />
    </>,
    queries,
  );
  await userEvent.click(page.getByRole('button', { name: 'Archive it' }));
  await expect.element(page.getByRole('button', { name: 'Keep theirs' })).toHaveFocus();
  await userEvent.click(page.getByRole('button', { name: 'Keep theirs' }));
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(reloaded).toHaveBeenCalledWith({ queryKey: ['settingTerms'] });
  await expect.element(page.getByText('Nothing was changed', { exact: false })).not.toBeInTheDocument();
  expect(called.filter((call) => call.startsWith('PATCH'))).toHaveLength(1);
});

it('names many rows a few at a time, in the language of the user', async () => {
  await i18next.changeLanguage('fr');
  const names = Array.from({ length: 7 }, (_, place) => `mot ${place}`);
  respond = (request) => (isTrail(request) ? Response.json({ ...trail, data: [] }) : refusal(120, names));
  renderWithProviders(<ConflictPlace />);
  const kept = expect(archive(2)).rejects.toThrow(KeptTheirs);
  const asked = page.getByRole('dialog', { name: "Modifié par quelqu'un d'autre" });
  await expect.element(asked).toHaveTextContent("Quelqu'un d'autre a modifié 120 mots-clés");
  await expect.element(page.getByRole('region', { name: 'mot 4' })).toHaveTextContent('ne vous est pas montrée');
  await expect.element(page.getByRole('region', { name: 'mot 5' })).not.toBeInTheDocument();
  await userEvent.click(page.getByRole('button', { name: 'Afficher la suite' }));
  await expect.element(page.getByRole('region', { name: 'mot 6' })).toBeVisible();
  await expect.element(page.getByText('et 113 autres')).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await kept;
});

it('undoes the first part of a change whose second part is refused', async () => {
  let parts = 0;
  respond = (request) => {
    if (request.url.includes('/api/Undo/')) return Response.json({ count: 1_000 });
    if (isTrail(request)) return Response.json(trail);
    parts += 1;
    return parts === 2 ? refusal(1, ['red shoes']) : Response.json({ count: 1_000 });
  };
  renderWithProviders(<ConflictPlace />);
  const kept = expect(archive(1_500)).rejects.toThrow(KeptTheirs);
  await expect.element(dialog()).toBeVisible();
  const methods = called.map((call) => call.replace(/ 1795.*|\/[0-9a-f-]{36}$/, ''));
  expect(methods.slice(0, 3)).toEqual(['PATCH /api/Terms', 'PATCH /api/Terms', 'POST /api/Undo']);
  await userEvent.click(page.getByRole('button', { name: 'Keep theirs' }));
  await kept;
});

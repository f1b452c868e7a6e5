import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { newOperation } from '~/api/queries/undo';
import { UndoPlace } from '~/app/shell/UndoPlace';
import { i18next, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { toast } from './toast';
import { endOffer, offerUndo, UNDO_MS, undoOffer } from './undo';

let called: string[];
let respond: () => Response;

const button = () => page.getByRole('button', { name: 'Undo' });
const offer = (text: string) => {
  const operation = newOperation();
  offerUndo({ operation, text, changes: [['terms']] });
  return operation;
};

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
});

beforeEach(() => {
  called = [];
  respond = () => Response.json({ count: 3 });
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    called.push(`${(input as Request).method} ${new URL((input as Request).url).pathname}`);
    return respond();
  });
});

afterEach(() => {
  const left = undoOffer.get();
  if (left) endOffer(left);
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

it('undoes the operation in one call, and loads again what shows it', async () => {
  const queries = new QueryClient();
  const reloaded = vi.spyOn(queries, 'invalidateQueries');
  renderWithProviders(<UndoPlace />, queries);
  const operation = offer('3 terms changed');
  expect(operation).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  await expect.element(page.getByRole('region', { name: 'Undo' })).toHaveTextContent('3 terms changed');
  await expect.element(page.getByText('You can undo this for ten seconds')).toBeInTheDocument();
  await userEvent.click(button());
  await expect.element(page.getByText('It is as it was before')).toBeVisible();
  expect(called).toEqual([`POST /api/Undo/${operation}`]);
  expect(reloaded).toHaveBeenCalledWith({ queryKey: ['terms'] });
  await expect.element(button()).not.toBeInTheDocument();
});

it('says why it could not be undone', async () => {
  respond = () => Response.json({ error: { statusCode: 409, code: 'CHANGED_MEANWHILE' } }, { status: 409 });
  renderWithProviders(<UndoPlace />);
  offer('1 brand changed');
  await userEvent.click(button());
  await expect.element(page.getByRole('alert')).toHaveTextContent('Somebody has changed the same in the meantime');
  await expect.element(button()).not.toBeInTheDocument();
});

it('undoes by Ctrl+Z, except in a field', async () => {
  renderWithProviders(
    <>
      <input aria-label="words" />
      <UndoPlace />
    </>,
  );
  offer('1 term changed');
  await expect.element(button()).toBeVisible();
  await userEvent.click(page.getByRole('textbox', { name: 'words' }));
  await userEvent.keyboard('{Control>}z{/Control}');
  expect(called).toEqual([]);
  (document.activeElement as HTMLElement).blur();
  await userEvent.keyboard('{Control>}z{/Control}');
  await expect.element(page.getByText('It is as it was before')).toBeVisible();
  expect(called).toHaveLength(1);
});

it('shows the last operation alone, and ends after ten seconds', async () => {
  renderWithProviders(<UndoPlace />);
  offer('1 term changed');
  const now = vi.spyOn(performance, 'now');
  offer('2 terms changed');
  await expect.element(page.getByText('2 terms changed')).toBeVisible();
  await expect.element(page.getByText('1 term changed')).not.toBeInTheDocument();
  const end = (undoOffer.get()?.until ?? 0) + 1;
  expect(end).toBeGreaterThan(UNDO_MS);
  now.mockReturnValue(end);
  await expect.element(button()).not.toBeInTheDocument();
  expect(called).toEqual([]);
});

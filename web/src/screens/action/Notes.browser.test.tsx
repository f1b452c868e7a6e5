import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { caseOf, failing, linksOf, nothingAround, operator, READING, STAFF, server, show, speak } from '~/testCase';

vi.mock('~/monitoring/mails/CaseMailFrame', () => ({ CaseMailFrame: () => <div /> }));

const note = (ID: number, message: string, change: object = {}) => ({
  ID,
  message,
  createdDate: '2025-10-03T10:00:00.000Z',
  updatedDate: '2025-10-03T10:00:00.000Z',
  user: { firstname: 'Sophie', lastname: 'Roy' },
  ...change,
});

const CROSS = {
  ...linksOf('brandAdvertiserAddNote'),
  brandAdvertiserGetNotes: { method: 'GET', href: '/api/actions/brandAdvertiserNotes?actionID=7' },
};

/** The server's notes by path. */
const notes: Record<string, ReturnType<typeof note>[]> = {};

function showNotes(links: object = {}) {
  for (const path of ['notes', 'advertiserNotes', 'brandAdvertiserNotes']) notes[path] ??= [];
  server.case = caseOf({ links: { ...READING, ...linksOf(...STAFF), ...links } });
  server.get.mockImplementation((path, query) => {
    const found = notes[path.slice('/api/actions/'.length)];
    if (!found) return nothingAround(path);
    expect(query.get('actionID')).toBe('7');
    return { data: found };
  });
  server.post.mockImplementation((path, body) => {
    const { message } = JSON.parse(body);
    notes[path] = [...(notes[path] ?? []), note(100, message)];
    return Response.json({ data: notes[path] });
  });
  return show({ me: operator });
}

const region = () => page.getByRole('region', { name: 'Notes' });
const field = () => region().getByRole('textbox', { name: 'Write a note' });
const send = () => region().getByRole('button', { name: 'Send the note' });
const shown = () =>
  region()
    .getByRole('listitem')
    .elements()
    .map(({ textContent }) => textContent);

it('shows notes with their authors, the newest first, and which were edited more than five seconds later', async () => {
  notes.notes = [
    note(1, 'Same moment'),
    note(2, 'Five seconds later', { updatedDate: '2025-10-03T10:00:05.000Z' }),
    note(3, 'Six seconds later', { updatedDate: '2025-10-03T10:00:06.000Z' }),
    note(4, 'Of nobody', { user: null }),
  ];
  showNotes();
  await expect.element(region()).toHaveTextContent('Same moment');
  expect(shown()).toEqual([
    'Deleted user 03/10/2025 12:00Of nobody',
    'Sophie Roy 03/10/2025 12:00 · editedSix seconds later',
    'Sophie Roy 03/10/2025 12:00Five seconds later',
    'Sophie Roy 03/10/2025 12:00Same moment',
  ]);
});

it('has the notes about all countries only with their link', async () => {
  showNotes();
  await expect.element(region().getByRole('tab', { name: 'Advertiser infos', exact: true })).toBeVisible();
  expect(region().getByRole('tab').elements()).toHaveLength(2);
});

it.each([
  ['Action infos', 'notes'],
  ['Advertiser infos', 'advertiserNotes'],
  ['Advertiser infos cross-countries', 'brandAdvertiserNotes'],
])('writes a note in %s, and loads them again', async (tab, path) => {
  notes[path] = [];
  showNotes(CROSS);
  await userEvent.click(region().getByRole('tab', { name: tab, exact: true }));
  await userEvent.fill(field(), 'Will stop on Friday');
  const before = server.get.mock.calls.filter(([called]) => called === `/api/actions/${path}`).length;
  await userEvent.click(send());
  await expect.element(region().getByRole('listitem')).toHaveTextContent('Will stop on Friday');
  await expect.element(field()).toHaveValue('');
  expect(server.post.mock.calls).toEqual([[path, JSON.stringify({ message: 'Will stop on Friday' })]]);
  expect(server.get.mock.calls.filter(([called]) => called === `/api/actions/${path}`).length).toBe(before + 1);
});

it('sends no blank note', async () => {
  showNotes();
  await expect.element(send()).toBeDisabled();
  await userEvent.fill(field(), '  \n ');
  await expect.element(send()).toBeDisabled();
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  expect(server.post).not.toHaveBeenCalled();
  await userEvent.fill(field(), ' x ');
  await expect.element(send()).toBeEnabled();
});

it.each([
  ['en', 'An error occured.', 'Write a note', 'Send the note'],
  ['fr', 'Une erreur est survenue.', 'Écrire une note', 'Envoyer la note'],
])('keeps the text of a note that fails, and says so in %s', async (language, text, write, button) => {
  await speak(language);
  notes.notes = [];
  showNotes();
  server.post.mockImplementation(() => failing(500));
  await userEvent.fill(page.getByRole('textbox', { name: write }), 'Kept');
  await userEvent.click(page.getByRole('button', { name: button }));
  await expect.element(page.getByText(text, { exact: true })).toBeVisible();
  await expect.element(page.getByRole('textbox', { name: write })).toHaveValue('Kept');
});

it('leads to the field by the key n, also from behind a tab', async () => {
  showNotes();
  await expect.element(send()).toBeVisible();
  await userEvent.keyboard('n');
  await expect.element(field()).toHaveFocus();
  await userEvent.keyboard('a called{Control>}{Enter}{/Control}');
  await vi.waitFor(() => expect(server.post).toHaveBeenCalledWith('notes', JSON.stringify({ message: 'a called' })));
  await userEvent.keyboard('{Escape}');
  await page.viewport(390, 844);
  await expect.element(page.getByRole('tab', { name: 'Notes' })).toBeVisible();
  await userEvent.keyboard('n');
  await expect.element(field()).toHaveFocus();
});

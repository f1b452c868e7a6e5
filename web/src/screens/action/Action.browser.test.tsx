import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { casesKey } from '~/api/queries/actions';
import { dayjs } from '~/lib/dates';
import { place } from '~/list/cards/place';
import { MAILS_ASKED } from '~/monitoring/mails/askMails';
import {
  caseOf,
  companyUser,
  entry,
  failing,
  history,
  linksOf,
  listOf,
  nothingAround,
  READING,
  rowOf,
  STAFF,
  server,
  show,
  speak,
} from '~/testCase';

// The page in the frame is served by the product.
vi.mock('~/monitoring/mails/CaseMailFrame', () => ({ CaseMailFrame: () => <div data-testid="mails" /> }));

const menuItems = async () => {
  await userEvent.click(page.getByRole('button', { name: 'All changes' }));
  await expect.element(page.getByRole('menu')).toBeVisible();
  return page
    .getByRole('menuitem')
    .elements()
    .map(({ textContent }) => textContent);
};

const title = (name: string) => page.getByRole('heading', { level: 1, name });

it('says in its bar what the case is, and since when it is seen', async () => {
  show();
  await expect.element(title('Actions - Maison Brivault / shop7.example')).toBeVisible();
  const bar = page.getByRole('banner');
  await expect.element(bar).toHaveTextContent('Google');
  await expect.element(bar).toHaveTextContent('reminded · waiting for an answer');
  await expect.element(bar).toHaveTextContent('First seen 01/09/2025, last seen 14/10/2025');
  await expect.element(bar.getByRole('img', { name: 'France' })).toBeVisible();
  const site = bar.getByRole('link', { name: 'Open shop7.example in a new tab' });
  await expect.element(site).toHaveAttribute('href', 'https://shop7.example');
  await expect.element(bar.getByRole('button', { name: 'Copy shop7.example' })).toBeVisible();
  await expect.element(page.getByTestId('mails')).toBeInTheDocument();
});

it('calls a case in which an advertiser was written to Notified, and says whether an answer is awaited', async () => {
  server.case = caseOf({ status: 'inprogress' });
  await speak('fr');
  show();
  const bar = page.getByRole('banner');
  await expect.element(bar).toHaveTextContent('Notifié · en attente de réponse');
  await speak('en');
  await expect.element(bar).toHaveTextContent('Notified · waiting for an answer');
  server.case = caseOf({ status: 'inprogress', waiting: false, next: { code: 'ours', params: {} } });
  server.post.mockImplementation(() => Response.json({ data: { ...server.case, brand: 'Maison Brivault' } }));
  await userEvent.keyboard('f');
  await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'refuse' }));
  await expect.element(bar).toHaveTextContent('Notified');
  await expect.element(bar).not.toHaveTextContent('waiting for an answer');
});

it('names and leads back to the list that it was opened from, or else to all cases', async () => {
  const { push } = show();
  await expect.element(page.getByRole('link', { name: 'Back to Actions' })).toHaveAttribute('href', '/actions');
  push('/action/7', { originList: { path: '/todo', search: { page: 2 } } });
  await expect.element(page.getByRole('link', { name: 'Back to To do' })).toHaveAttribute('href', '/todo?page=2');
  await expect.element(title('To do - Maison Brivault / shop7.example')).toBeVisible();
});

it('leads to no list where lists are not open to the reader', async () => {
  const { path } = show({ lists: false, me: companyUser });
  await expect.element(title('Actions - Maison Brivault / shop7.example')).toBeVisible();
  expect(page.getByRole('link', { name: 'Back to Actions' }).elements()).toEqual([]);
  await userEvent.keyboard('{Escape}');
  expect(path()).toBe('/action/7');
});

it('shows its position in the list, and goes to the neighbours by buttons and keys, over the ends of pages', async () => {
  const search = { page: 1, perPage: 3, order: 'domain', direction: 'ASC', status: { type: 'inq', value: ['new'] } };
  server.get.mockImplementation((path, query) => {
    if (path !== '/api/actions' || query.has('advertiserID')) return nothingAround(path);
    expect([query.get('page[size]'), query.get('sortBy'), query.getAll('status[]')]).toEqual(['3', 'domain', ['new']]);
    return listOf(
      (query.get('page[number]') === '1' ? [5, 6, 7] : [8]).map((id) => rowOf(id)),
      4,
    );
  });
  const { push, path } = show();
  await expect.element(title('Actions - Maison Brivault / shop7.example')).toBeVisible();
  const place = page.getByRole('navigation', { name: 'Position in the list' });
  expect(place.elements()).toEqual([]);
  push('/action/7', { originList: { path: '/actions', search } });
  await expect.element(place).toHaveTextContent('3/4');
  const next = place.getByRole('button', { name: 'Next case' });
  await expect.element(next).toBeEnabled();
  await userEvent.click(next);
  await expect.element(title('Actions - Maison Brivault / shop8.example')).toBeVisible();
  await expect.element(place).toHaveTextContent('4/4');
  await expect.element(next).toBeDisabled();
  const back = page.getByRole('link', { name: 'Back to Actions' });
  await expect.element(back).toHaveAttribute('href', expect.stringContaining('page=2'));
  await userEvent.keyboard('[[');
  await expect.element(title('Actions - Maison Brivault / shop7.example')).toBeVisible();
  await userEvent.keyboard('[[');
  await expect.element(place).toHaveTextContent('2/4');
  expect(path()).toBe('/action/6');
  await userEvent.keyboard(']');
  await expect.element(place).toHaveTextContent('3/4');
});

it('offers in its menu what the server offers, in order, the first two also as buttons', async () => {
  show();
  await expect.element(page.getByRole('button', { name: 'accept', exact: true })).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'refuse', exact: true })).toBeVisible();
  expect(page.getByRole('button', { name: 'move to Notified' }).elements()).toEqual([]);
  expect(await menuItems()).toEqual([
    'accepta',
    'refusef',
    'move to Notifiedm',
    'force the automatic reminder cycle',
    'blockb',
    'ignorei',
    'Why not?',
  ]);
});

it.each(STAFF.slice(0, 6))('does not offer %s without its link', async (name) => {
  server.case = caseOf({ links: { ...READING, ...linksOf(...STAFF.filter((one) => one !== name)) } });
  show();
  const label = {
    accept: 'accept',
    refuse: 'refuse',
    inprogress: 'move to Notified',
    forceReminder: 'force the automatic reminder cycle',
    block: 'block',
    ignore: 'ignore',
  }[name];
  const items = await menuItems();
  expect(items).toHaveLength(6);
  expect(items.some((item) => item?.startsWith(label ?? ''))).toBe(false);
});

it('says to the staff when that is offered which is missing, and to nobody else', async () => {
  server.case = caseOf({ links: { ...READING, ...linksOf('accept', 'ignore') } });
  show();
  await menuItems();
  await userEvent.click(page.getByRole('menuitem', { name: 'Why not?' }));
  const dialog = page.getByRole('dialog', { name: 'Why not?' });
  await expect.element(dialog).toHaveTextContent('The status is “reminded”.');
  await expect.element(dialog).toHaveTextContent('cancel the actionFrom requested.');
  await expect.element(dialog).not.toHaveTextContent('From every status but');
});

it('asks beside the button before an act, confirms by Enter, and shows the answer', async () => {
  const { queries } = show();
  await expect.element(page.getByRole('button', { name: 'accept', exact: true })).toBeVisible();
  queries.setQueryData([...casesKey, 'search', 'x'], { rows: [] });
  place.set('/actions', { id: '7', top: 10 });
  server.post.mockImplementation(() => {
    server.case = caseOf({
      status: 'accepted',
      waiting: false,
      next: { code: 'nothing', params: {} },
      history: [...history, entry(5, 'accepted', '30', { kind: 'person', name: 'Bo Baker' })],
      links: { ...READING, ...linksOf('refuse', 'ignore') },
    });
    return Response.json({ data: { ...server.case, brand: 'Maison Brivault' } });
  });
  await userEvent.keyboard('a');
  const dialog = page.getByRole('dialog', { name: 'Accept this case?' });
  await expect.element(dialog).toHaveTextContent('The advertiser agrees: nothing more is sent');
  await expect.element(dialog.getByRole('button', { name: 'accept' })).toHaveFocus();
  expect(server.post).not.toHaveBeenCalled();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText("The advertiser's status is up to date.")).toBeVisible();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(server.post.mock.calls).toEqual([['accept', '']]);
  await expect.element(page.getByRole('banner')).toHaveTextContent('accepted');
  await expect.element(page.getByRole('region', { name: 'Activities history' })).toHaveTextContent('Bo Baker');
  await expect.element(page.getByRole('button', { name: 'accept', exact: true })).not.toBeInTheDocument();
  await expect.element(page.getByText('The advertiser has agreed')).toBeVisible();
  expect(place.get('/actions')).toBeUndefined();
  expect(queries.getQueryData([...casesKey, 'search', 'x'])).toBeUndefined();
});

it.each([
  ['f', 'Refuse this case?', 'refuse'],
  ['b', 'Block this case?', 'block'],
  ['i', 'Ignore this case?', 'ignored'],
])('begins an act by the key %s, which Escape gives up', async (key, name, path) => {
  server.post.mockImplementation(() => Response.json({ data: { ...server.case, brand: 'Maison Brivault' } }));
  show();
  await expect.element(page.getByRole('button', { name: 'accept', exact: true })).toBeVisible();
  await userEvent.keyboard(key);
  const dialog = page.getByRole('dialog', { name });
  await expect.element(dialog).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  expect(server.post).not.toHaveBeenCalled();
  await userEvent.keyboard(key);
  await expect.element(dialog).toBeVisible();
  await vi.waitFor(() => expect(dialog.element().contains(document.activeElement)).toBe(true));
  await userEvent.keyboard('{Enter}');
  await vi.waitFor(() => expect(server.post.mock.calls).toEqual([[path, '']]));
});

it('marks an advertiser as notified, with a comment and without', async () => {
  server.post.mockImplementation(() => Response.json({ data: { ...server.case, brand: 'Maison Brivault' } }));
  await speak('fr');
  show();
  await expect.element(page.getByRole('button', { name: 'accepter' })).toBeVisible();
  const dialog = page.getByRole('dialog', { name: 'Marquer cet annonceur comme notifié' });
  const confirm = dialog.getByRole('button', { name: 'Marquer comme notifié' });
  await userEvent.keyboard('m');
  await userEvent.fill(dialog.getByRole('textbox', { name: 'Commentaire' }), 'Par téléphone');
  await userEvent.click(confirm);
  await expect.element(page.getByText("Le statut de l'annonceur est passé en notifié.")).toBeVisible();
  await expect.element(dialog).not.toBeInTheDocument();
  await userEvent.keyboard('m');
  await userEvent.click(confirm);
  await vi.waitFor(() => expect(server.post).toHaveBeenCalledTimes(2));
  expect(server.post.mock.calls.map(([path, body]) => [path, JSON.parse(body)])).toEqual([
    ['inprogress', { manual: true, comments: 'Par téléphone' }],
    ['inprogress', { manual: true }],
  ]);
  // The next test begins without its toast.
  await expect.element(dialog).not.toBeInTheDocument();
});

it('shows the fresh case where a change is refused, and says who changed it', async () => {
  server.post.mockImplementation(() => {
    const accepted = {
      ...entry(5, 'accepted', '30', { kind: 'person', name: 'Paul' }),
      date: new Date().toISOString(),
    };
    server.case = caseOf({
      status: 'accepted',
      waiting: false,
      history: [...history, accepted],
      links: { ...READING, ...linksOf('refuse', 'ignore') },
    });
    return failing(409, 'TRANSITION_NOT_ALLOWED');
  });
  show();
  await userEvent.click(page.getByRole('button', { name: 'accept', exact: true }));
  await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'accept' }));
  await expect.element(page.getByText(/^Changed by Paul at \d\d:\d\d: accepted$/)).toBeVisible();
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
  await expect.element(page.getByRole('button', { name: 'accept', exact: true })).not.toBeInTheDocument();
  await expect.element(page.getByRole('banner')).toHaveTextContent('accepted');
});

it('says in French that a change failed, with the reason, and keeps the question open', async () => {
  await speak('fr');
  server.post.mockImplementation(() => failing(503));
  show();
  await userEvent.click(page.getByRole('button', { name: 'refuser' }));
  await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'refuser' }));
  await expect.element(page.getByText('Une erreur est suvenue.')).toBeVisible();
  await expect.element(page.getByRole('dialog')).toBeVisible();
});

it('says in French that a change is made', async () => {
  await speak('fr');
  server.post.mockImplementation(() => Response.json({ data: { ...server.case, brand: 'Maison Brivault' } }));
  show();
  await userEvent.click(page.getByRole('button', { name: 'refuser' }));
  await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'refuser' }));
  await expect.element(page.getByText("Le statut de l'annonceur est à jour.")).toBeVisible();
});

it.each([
  ['no_active_recipients', 'no active recipients', 'aucun destinataire actif', 'Add a contact'],
  ['reminder_quota_reached', 'reminder quota reached', 'quota de relances atteint', 'Force the cycle'],
  [
    'manually_notified_delay_passed',
    'manually notified and response delay passed',
    'notifié manuellement et délai de réponse dépassé',
    'Write an e-mail',
  ],
  ['manually_blocked', 'manually blocked', 'bloqué manuellement', 'Force the cycle'],
  ['unknown', 'unknown reason', 'raison inconnue', 'Force the cycle'],
  ['something else', 'Blocked unknown reason', 'Bloqué raison inconnue', 'Force the cycle'],
])('says beside the badge why a case is blocked by %s, and offers the way out', async (code, en, fr, way) => {
  const blockedDate = '2025-09-24T10:00:00.000Z';
  const metas = {
    blockedReason: [
      { date: '2025-01-01T10:00:00.000Z', reason: 'unknown' },
      { date: blockedDate, reason: code },
    ],
  };
  server.case = caseOf({ status: 'blocked', blockedDate, metas });
  show();
  const reason = page.getByRole('banner').getByText(en, { exact: true });
  await expect.element(reason).toBeVisible();
  await userEvent.hover(page.getByRole('banner').getByText('blocked', { exact: true }));
  await expect.element(page.getByRole('tooltip', { name: en })).toBeVisible();
  await expect
    .element(
      page
        .getByRole('region', { name: /^Next:/ })
        .getByRole('button')
        .first(),
    )
    .toHaveTextContent(way);
  await speak('fr');
  await expect.element(page.getByRole('banner').getByText(fr, { exact: true })).toBeVisible();
});

it.each([
  ['Answer', 'answer', { waiting: false, next: { code: 'ours', params: {} } }],
  ['Write an e-mail', 'answer', { status: 'requested', next: { code: 'nothing', params: {} } }],
  ['Add a contact', 'contacts', { next: { code: 'noContact', params: {} } }],
])('asks the mails for what the button %s leads to, also on a telephone', async (name, what, change) => {
  const asked = vi.fn<(what: unknown) => void>();
  const hear = (event: Event) => asked((event as CustomEvent).detail);
  document.addEventListener(MAILS_ASKED, hear);
  server.case = caseOf(change);
  show();
  await userEvent.click(page.getByRole('region', { name: /^Next:/ }).getByRole('button', { name, exact: true }));
  expect(asked.mock.calls).toEqual([[what]]);
  await page.viewport(390, 844);
  await userEvent.click(page.getByRole('tab', { name: 'Case' }));
  const main = page.getByRole('button', { name, exact: true });
  await userEvent.click(main.last());
  expect(asked.mock.calls).toEqual([[what], [what]]);
  await expect.element(page.getByRole('tab', { name: 'E-mails' })).toHaveAttribute('aria-selected', 'true');
  document.removeEventListener(MAILS_ASKED, hear);
});

it('says how long the last answer has waited', async () => {
  const daysAgo = (days: number) => ({
    id: days,
    receivedDate: new Date(Date.now() - days * 86_400_000 - 1).toISOString(),
  });
  server.case = caseOf({
    waiting: false,
    next: { code: 'ours', params: {} },
    emails: [daysAgo(9), daysAgo(3), { id: 1, receivedDate: null }],
  });
  show();
  await expect.element(page.getByText('The answer of the advertiser has waited for 3 days.')).toBeVisible();
});

it('forces the cycle of a blocked case from beside its reason', async () => {
  server.case = caseOf({ status: 'blocked', metas: { blockedReason: 'reminder_quota_reached' } });
  server.post.mockImplementation(() => Response.json({ data: { ...server.case, brand: 'Maison Brivault' } }));
  show();
  await userEvent.click(page.getByRole('button', { name: 'Force the cycle' }));
  const dialog = page.getByRole('dialog', { name: 'Force the automatic reminder cycle?' });
  await userEvent.click(dialog.getByRole('button', { name: 'force the automatic reminder cycle' }));
  await vi.waitFor(() => expect(server.post.mock.calls).toEqual([['forceReminder', '']]));
});

it('puts the reminders off until a day, and lets them go on', async () => {
  const day = dayjs().add(14, 'day').format('YYYY-MM-DD');
  const params = { number: 3, quota: 3, paused: true };
  server.post.mockImplementation(() => {
    server.case = caseOf({ pausedUntil: day, next: { code: 'reminder', date: `${day}T07:00:00Z`, params } });
    return Response.json({ data: { ...server.case, brand: 'Maison Brivault' } });
  });
  show();
  await expect.element(page.getByText('Reminder 3 of 3 on 17/10/25')).toBeVisible();
  await userEvent.keyboard('z');
  const dialog = page.getByRole('dialog', { name: 'Pause the reminders until' });
  await userEvent.click(dialog.getByRole('button', { name: '2 weeks' }));
  await expect.element(page.getByText(/^No reminder leaves before \d\d/)).toBeVisible();
  await expect.element(page.getByRole('heading', { name: /Paused until/ })).toBeVisible();
  await expect.element(dialog).not.toBeInTheDocument();
  server.post.mockImplementation(() => Response.json({ data: { ...caseOf(), brand: 'Maison Brivault' } }));
  await userEvent.click(page.getByRole('button', { name: 'Resume now' }));
  await expect.element(page.getByText('The reminders go on.')).toBeVisible();
  expect(server.post.mock.calls.map(([path, body]) => [path, JSON.parse(body)])).toEqual([
    ['pause', { until: day }],
    ['pause', { until: null }],
  ]);
});

it('takes any later day of the calendar', async () => {
  server.post.mockImplementation(() => Response.json({ data: { ...server.case, brand: 'Maison Brivault' } }));
  show();
  await userEvent.click(page.getByRole('button', { name: 'Pause until' }));
  const dialog = page.getByRole('dialog', { name: 'Pause the reminders until' });
  await userEvent.click(dialog.getByRole('button', { name: 'Next month' }));
  await userEvent.click(dialog.getByRole('button', { name: /^20 / }));
  // The calendar opens on the month of tomorrow, the first day that it takes.
  const until = dayjs().add(1, 'day').add(1, 'month').date(20).format('YYYY-MM-DD');
  await vi.waitFor(() => expect(server.post.mock.calls).toEqual([['pause', JSON.stringify({ until })]]));
});

it('gives the case to somebody of the staff', async () => {
  const load = { requested: 1, waiting: 2, ours: 0, blocked: 1, unread: 0 };
  server.get.mockImplementation((path) =>
    path === '/api/actions/workload'
      ? {
          data: [
            { owner: { id: 3, name: 'Demo Operator' }, ...load },
            { owner: null, ...load },
          ],
        }
      : nothingAround(path),
  );
  server.post.mockImplementation(() => {
    server.case = caseOf({ owner: { id: 3, name: 'Demo Operator' } });
    return Response.json({ data: { ...server.case, brand: 'Maison Brivault' } });
  });
  show();
  await userEvent.click(page.getByRole('button', { name: 'Change the owner: Nobody' }));
  await userEvent.click(page.getByRole('menuitem', { name: 'Demo Operator (you) 4 open cases' }));
  await expect.element(page.getByRole('button', { name: 'Change the owner: Demo Operator' })).toBeVisible();
  expect(server.post.mock.calls.map(([path, body]) => [path, JSON.parse(body)])).toEqual([['assign', { ownerId: 3 }]]);
});

it('loads the tags by the link of the case, and edits them by the key t', async () => {
  server.get.mockImplementation((path, query) => {
    if (path !== '/api/advertiserTag/action') return nothingAround(path);
    expect(query.get('actionID')).toBe('7');
    return [{ ID: 5, actionID: 7, label: 'marketplace' }];
  });
  show();
  await expect
    .element(page.getByRole('region', { name: 'Tags' }).getByRole('listitem'))
    .toHaveTextContent('marketplace');
  await userEvent.keyboard('t');
  await expect.element(page.getByRole('dialog')).toBeVisible();
});

it('shows the last three entries of the history, reminders in a row as one, and all of them on demand', async () => {
  server.case = caseOf({
    history: [entry(1, 'new', '01'), entry(9, 'requested', '02'), ...history.slice(1)],
  });
  show();
  const region = page.getByRole('region', { name: 'Activities history' });
  await expect.element(region).toBeVisible();
  const texts = (items: Element[]) => items.map(({ textContent }) => textContent);
  expect(texts(region.getByRole('listitem').elements())).toEqual([
    'reminded24/09/2025automatically · 2 remindersBefore: 17/09/2025',
    'Notified03/09/2025Ann Archer',
    'requested02/09/2025automatically',
  ]);
  await userEvent.click(region.getByRole('button', { name: 'See all history' }));
  const dialog = page.getByRole('dialog', { name: 'Activities history' });
  await expect.element(dialog).toBeVisible();
  expect(dialog.getByRole('listitem').elements()).toHaveLength(4);
  await expect.element(dialog).toHaveTextContent('new01/09/2025 12:00');
});

it('shows what the keys do, and does nothing by keys once they are switched off', async () => {
  show();
  await expect.element(page.getByRole('button', { name: 'accept', exact: true })).toBeVisible();
  await userEvent.keyboard('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect.element(help).toHaveTextContent('Previous and next case of the list');
  await userEvent.click(help.getByRole('switch', { name: 'Single keys' }));
  await userEvent.keyboard('{Escape}');
  await expect.element(help).not.toBeInTheDocument();
  await userEvent.keyboard('a');
  await new Promise(requestAnimationFrame);
  expect(page.getByRole('dialog').elements()).toEqual([]);
});

it('goes back to the list by Escape', async () => {
  const { path, push } = show();
  push('/action/7', { originList: { path: '/todo', search: {} } });
  await expect.element(page.getByRole('link', { name: 'Back to To do' })).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await vi.waitFor(() => expect(path()).toBe('/todo'));
});

it('begins for users of a company with a sentence, and offers them what the server does', async () => {
  server.case = caseOf({ links: { ...READING, ...linksOf('ignore') }, waiting: false });
  show({ me: companyUser });
  await expect
    .element(page.getByRole('heading', { level: 2 }).first())
    .toHaveTextContent('Notified on 03/09/25, reminded 2 times, answered. Ad last seen on 14/10/25.');
  for (const name of ['accept', 'refuse', 'Answer', 'Pause until', 'Change the owner: Nobody'])
    expect(page.getByRole('button', { name, exact: true }).elements(), name).toEqual([]);
  expect(await menuItems()).toEqual(['ignorei']);
});

it('offers a user of a company to request a new case', async () => {
  server.post.mockImplementation(() => Response.json({ data: { ...server.case, brand: 'Maison Brivault' } }));
  server.case = caseOf({
    status: 'new',
    history: [entry(1, 'new', '01')],
    links: { ...READING, ...linksOf('markAsRequested', 'ignore') },
  });
  show({ me: companyUser });
  await userEvent.click(page.getByRole('region', { name: /^Found on/ }).getByRole('button', { name: 'Request' }));
  await vi.waitFor(() => expect(server.post.mock.calls).toEqual([['requested', '']]));
});

it.each([1920, 1440, 1280, 980, 768, 390])(
  'fits a window of %i px, with all of its parts within reach',
  async (width) => {
    await page.viewport(width, 900);
    server.case = caseOf({ domain: `${'long-name-of-a-shop'.repeat(4)}.example` });
    show();
    await expect.element(page.getByRole('button', { name: 'accept', exact: true })).toBeVisible();
    expect(document.documentElement.scrollWidth).toBe(width);
    const mails = page.getByTestId('mails');
    if (width >= 980) {
      await expect.element(page.getByRole('region', { name: 'Notes' })).toBeVisible();
      await expect.element(page.getByRole('button', { name: 'Classical advertisement' })).toBeVisible();
      expect(page.getByRole('tablist', { name: 'Parts of the case' }).elements()).toEqual([]);
      if (width < 1440) await userEvent.click(page.getByRole('button', { name: /^Tags · Activities history/ }));
      await expect.element(page.getByRole('region', { name: 'Activities history' })).toBeVisible();
      return;
    }
    await expect.element(mails).toBeInTheDocument();
    const before = mails.element();
    await userEvent.click(page.getByRole('tab', { name: 'Case' }));
    await expect.element(page.getByRole('region', { name: 'Activities history' })).toBeVisible();
    await userEvent.keyboard('{ArrowRight}{ArrowRight}');
    await expect.element(page.getByRole('tab', { name: 'Notes' })).toHaveAttribute('aria-selected', 'true');
    await expect.element(page.getByRole('tabpanel', { name: 'Notes' })).toHaveTextContent('No note yet.');
    await userEvent.click(page.getByRole('tab', { name: 'Ads' }));
    await expect.element(page.getByRole('tabpanel', { name: 'Ads' })).toHaveTextContent('Classical advertisement');
    expect(document.documentElement.scrollWidth).toBe(width);
    expect(mails.element()).toBe(before);
  },
);

it.each(['800', 'x', '99999999999'])(
  'leads to the page for unknown addresses where there is no case %s',
  async (id) => {
    const { path } = show({ address: `/action/${id}` });
    await vi.waitFor(() => expect(path()).toBe('/404'));
  },
);

it('says that it could not be loaded, and tries again', async () => {
  const answer = vi.mocked(window.fetch).getMockImplementation();
  let broken = true;
  vi.mocked(window.fetch).mockImplementation(async (input) =>
    broken ? failing(500) : (answer?.(input) as Promise<Response>),
  );
  show();
  const panel = page.getByRole('alert').filter({ hasText: 'Try again later' });
  await expect.element(panel).toBeVisible();
  broken = false;
  await userEvent.click(panel.getByRole('button'));
  await expect.element(title('Actions - Maison Brivault / shop7.example')).toBeVisible();
});

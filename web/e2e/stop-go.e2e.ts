import type { Page } from '@playwright/test';
import { ask, axe, expect, test, WRITES } from './fixtures';

/** The simulated Google of the stack. */
const GOOGLE = process.env.VIGIE__GOOGLE__ADS_URL ?? '';
/** A customer of it whose campaigns serve France alone. */
const CUSTOMER = '1000000202';

/** A shared list of negative keywords at Google. */
interface SharedList {
  customer: string;
  name: string;
  keywords: string[];
  campaigns: number[];
}

// Both languages change the lists of one account.
test.describe.configure({ mode: 'serial' });

/** The list of an account for France; nothing while there is none. */
async function listOf(page: Page, account: string): Promise<SharedList | undefined> {
  const lists = (await (await page.request.get(`${GOOGLE}/control/lists`)).json()) as SharedList[];
  return lists.find((list) => list.name === 'Vigie stop FR' && `customer:${list.customer}` === account);
}

/** Connects the manager account, unless a grant is there. */
async function connect(page: Page): Promise<void> {
  if (ask(`select count(*) from google_grant where status = 'ok' and kind = 'manager'`) !== '0') return;
  await page.goto('/google-connect?lng=en');
  await page.getByRole('button', { name: /^Connect (?:a|another) manager account$/ }).click();
  await page.getByRole('button', { name: /Ada Lindqvist/ }).click();
  await expect(page.getByText('The manager account is connected.')).toBeVisible();
}

const WORDS = {
  en: {
    satisfied: 'satisfied',
    excluded: 'Excluded: ',
    refused: 'refused by Google',
    approve: 'Approve the stop',
    stopped: 'Stopped',
    done: 'keyword exclude',
  },
  fr: {
    satisfied: 'rempli',
    excluded: 'Exclu : ',
    refused: 'refusé par Google',
    approve: "Approuver l'arrêt",
    stopped: 'Arrêté',
    done: 'mot-clé exclu',
  },
} as const;

for (const lng of ['en', 'fr'] as const)
  test(`a lane is observed, proposed, approved, stopped, and goes with a rival (${lng})`, async ({
    signedIn: page,
  }) => {
    test.setTimeout(120_000);
    const words = WORDS[lng];
    await connect(page);
    // The simulator always shows ads for words of buying.
    const term = Number(
      ask(`select t.id from term t join localization l on l.id = t.localization_id where t.engine = 'GOOGLE' and t.state = 'enabled'
             and l.locale like '%FR' and t.brand_id is not null and not exists (select from stop_go_keyword k where k.term_id = t.id)
           order by t.term ~ '(buy|cheap|price|sale|shop|achat|acheter|prix|soldes|boutique)' desc, t.id limit 1`),
    );
    const brand = Number(ask(`select brand_id from term where id = ${term}`));
    if (ask(`select count(*) from google_connect where brand_id = ${brand}`) === '0')
      ask(`insert into google_connect (customer_id, login_customer_id, brand_id, ads_grant_id)
           select g.customer_id, g.manager_id, ${brand}, g.grant_id from google_customer g where g.customer_id = '${CUSTOMER}' limit 1`);
    await page.request.post('/api/stop-go/brand', { ...WRITES, data: { brandID: brand } });
    const linked = await page.request.post('/api/stop-go/keyword', {
      ...WRITES,
      data: { brandID: brand, keywordID: term, averageCTR: '5', averageCPC: '0.80' },
    });
    expect(linked.status()).toBe(201);
    const keyword = (await linked.json()).data;
    const lane = keyword.lane.ID;
    const name: string = keyword.keyword.content;
    const account = ask(`select account from stop_go_lane where id = ${lane}`);
    const isExcluded = async () => (await listOf(page, account))?.keywords.includes(name.toLowerCase()) ?? false;

    // Its own captures rest, so that the past is what is written here: seven clean days on the devices it is captured with.
    ask(
      `update term_due set every_ms = 3600000, next_slot = greatest(first_slot, now()) + interval '30 minutes' where term_id = ${term}`,
    );
    const open = `select (select count(*) from slot where term_id = ${term} and state not in ('verified', 'failed', 'missed'))
                       + (select count(*) from stop_go_lane where id = ${lane} and not read_back)`;
    await expect.poll(() => ask(open), { timeout: 40_000 }).toBe('0');
    ask(`update stop_go_brand set mode = 'propose', owner_user_id = (select min(id) from user_account) where brand_id = ${brand};
         delete from stop_go_reading where lane_id = ${lane};
         insert into stop_go_reading (lane_id, capture_id, term_id, device, at, verdict, organic_first, own_ad)
         select ${lane}, gen_random_uuid(), term_id, device, at, 'clean', true, false
         from term_due, generate_series(now() - interval '8 days', now(), interval '1 hour') at where term_id = ${term};
         update stop_go_lane set next_event_at = now() where id = ${lane}`);

    await page.goto(`/stop-go-keyword-management/${keyword.ID}?lng=${lng}`);
    await expect(page.getByRole('slider')).toBeVisible();
    await page.getByRole('slider').press('End');
    await expect(page.getByText(words.satisfied, { exact: true })).toHaveCount(8, { timeout: 40_000 });
    await expect(page.getByRole('button', { name: words.approve })).toBeVisible({ timeout: 40_000 });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `test-results/stop-go-lane-${lng}-${width}.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: words.approve }).click();
    await expect.poll(isExcluded, { timeout: 20_000 }).toBe(true);
    expect((await listOf(page, account))?.campaigns).toEqual([71, 72]);
    await expect(page.getByText(words.stopped, { exact: true }).first()).toBeVisible({ timeout: 40_000 });

    // The simulator shows a rival: the next capture of the term lets its ads run again.
    const started = await page.request.post('/api/Terms/runNow', { ...WRITES, data: { ids: [term] } });
    expect(started.ok(), await started.text()).toBe(true);
    await expect.poll(isExcluded, { timeout: 60_000 }).toBe(false);
    expect(
      ask(`select rule from stop_go_decision where lane_id = ${lane} and action = 'go' order by id desc limit 1`),
    ).toBe('rival');

    // A change that Google refuses goes back.
    await page.request.post(`${GOOGLE}/control/faults`, { data: { fault: 'partial-failure' } });
    await page.goto(`/stop-go-keyword-management?lng=${lng}`);
    const row = page
      .getByRole('row')
      .filter({ has: page.locator(`a[href^="/stop-go-keyword-management/${keyword.ID}?"]`) });
    const toggle = row.getByRole('switch', { name: words.excluded + name });
    await toggle.click({ force: true });
    await expect(page.getByText(words.done)).toBeVisible();
    await expect(row.getByText(words.refused)).toBeVisible({ timeout: 40_000 });
    await expect(toggle).not.toBeChecked();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `test-results/stop-go-keywords-${lng}-${width}.png`, fullPage: true });
    }
  });

test('an emergency is confirmed by typing the brand, and detaches the lists', async ({ signedIn: page }) => {
  const attached = async () => {
    const lists = (await (await page.request.get(`${GOOGLE}/control/lists`)).json()) as SharedList[];
    return lists.filter((list) => list.campaigns.length > 0).length;
  };
  const before = await attached();
  expect(before).toBeGreaterThan(0);
  await page.goto('/stop-go-management');
  await page.getByRole('table').getByRole('link').first().click();
  await expect(page).toHaveTitle('Vigie | Google connect item');
  await page.getByRole('button', { name: 'Emergency' }).click();
  const dialog = page.getByRole('dialog');
  const label = (await dialog.getByRole('textbox').getAttribute('id')) ?? '';
  const name = ((await dialog.locator(`label[for="${label}"]`).textContent()) ?? '').replace(
    /^Type (.*) to confirm$/,
    '$1',
  );
  await dialog.getByRole('textbox').fill('something else');
  await dialog.getByRole('button', { name: 'Let everything run' }).click();
  await expect(page.getByText("Can't let everything run.")).toBeVisible();
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: 'Let everything run' }).click();
  await expect(page.getByText(/Everything runs/)).toBeVisible();
  await expect.poll(attached, { timeout: 20_000 }).toBeLessThan(before);
});

for (const [lng, width, told, copy] of [
  ['en', 1440, 'Access to Google is lost while ads are stopped', 'Copy these words'],
  ['fr', 390, "L'accès à Google est perdu alors que des annonces sont arrêtées", 'Copier ces mots'],
] as const)
  test(`names the words to remove by hand where access is lost, in ${lng} at ${width} px`, async ({
    signedIn: page,
  }) => {
    const customer = lng === 'en' ? '9000000001' : '9000000002';
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/stop-go-management?lng=${lng}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('alert').filter({ hasText: told })).toHaveCount(0);
    ask(`insert into google_connect (customer_id, brand_id) select '${customer}', max(id) from brand;
      insert into stop_go_lane (account, google_connect_id, country, text_folded, since, observed)
      select 'customer:${customer}', id, 'FR', words || ' ${customer}', now(), true
      from google_connect, unnest(array['left behind', 'left alone']) words where customer_id = '${customer}'`);
    try {
      for (const path of ['/stop-go-management', '/stop-go-keyword-management']) {
        await page.goto(`${path}?lng=${lng}`);
        const bar = page.getByRole('alert').filter({ hasText: told });
        const list = bar.getByRole('listitem').filter({ hasText: customer });
        await expect(list).toHaveText([`left alone ${customer}`, `left behind ${customer}`]);
        await expect(bar).toContainText(customer.replace(/^(\d{3})(\d{3})/, '$1-$2-'));
        await expect(bar.getByRole('button', { name: copy }).first()).toBeVisible();
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
      expect((await axe(page).analyze()).violations).toEqual([]);
      await page.screenshot({ path: test.info().outputPath(`stranded-${lng}.png`) });
    } finally {
      ask(`delete from stop_go_lane where account = 'customer:${customer}';
        delete from google_connect where customer_id = '${customer}'`);
    }
  });

for (const [lng, width, words] of [
  [
    'en',
    1440,
    {
      settings: 'How lanes decide',
      span: 'Hours that these span at least',
      control: 'Lanes kept as a control, in percent',
      least: 'Hours that ads run before the next stop',
      most: 'The most of these hours after short stops',
      save: 'Save',
      saved: 'Saved settings.',
      bounds: 'Between 40 and 168',
    },
  ],
  [
    'fr',
    390,
    {
      settings: 'Règles de décision',
      span: "Heures qu'elles couvrent au moins",
      control: 'Part des mots gardés comme témoins, en pour cent',
      least: "Heures de diffusion avant l'arrêt suivant",
      most: 'Maximum de ces heures après des arrêts courts',
      save: 'Enregistrer',
      saved: 'Réglages enregistrés.',
      bounds: 'Entre 40 et 168',
    },
  ],
] as const)
  test(`keeps the rule of a brand within its bounds, in ${lng} at ${width} px`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height: 900 });
    const brand = Number(
      ask(`select b.id from brand b where not exists (select from stop_go_brand s where s.brand_id = b.id)
           order by b.id desc limit 1`),
    );
    const added = await page.request.post('/api/stop-go/brand', { ...WRITES, data: { brandID: brand } });
    const { ID } = (await added.json()).data;
    const stored = () => ask(`select settings ->> 'stopSpanHours' from stop_go_brand where brand_id = ${brand}`);
    await page.goto(`/stop-go-management/${ID}?lng=${lng}`);
    await page.getByRole('button', { name: words.settings }).click();
    const save = page.getByRole('region', { name: words.settings }).getByRole('button', { name: words.save });
    const span = page.getByLabel(words.span);
    await expect(span).toHaveValue('6');
    // What is out of bounds becomes the bound when the field is left.
    await span.fill('99');
    await span.blur();
    await expect(span).toHaveValue('36');
    await span.fill('8');
    await page.getByLabel(words.control).fill('10');
    await save.click();
    await expect(page.getByText(words.saved)).toBeVisible();
    expect(stored()).toBe('8');
    await page.reload();
    await page.getByRole('button', { name: words.settings }).click();
    await expect(span).toHaveValue('8');
    await expect(page.getByLabel(words.control)).toHaveValue('10');

    // Two fields that do not fit together are named in words, and nothing is sent until they do.
    const most = page.getByLabel(words.most);
    await most.fill('10');
    await page.getByLabel(words.least).fill('40');
    await expect(page.getByText(words.bounds)).toBeVisible();
    await save.click();
    await expect(most).toBeFocused();
    await expect(most).toHaveValue('10');
    expect(ask(`select settings ? 'maxGoHours' from stop_go_brand where brand_id = ${brand}`)).toBe('f');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({ path: test.info().outputPath(`settings-${lng}.png`) });
    await most.fill('60');
    await save.click();
    await expect
      .poll(() => ask(`select settings ->> 'maxGoHours' from stop_go_brand where brand_id = ${brand}`))
      .toBe('60');
  });

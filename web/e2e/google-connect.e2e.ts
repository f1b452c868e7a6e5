import { ask, expect, rowsShown, test } from './fixtures';

// One after the other: all work with the administrator's one connection to Google.
test.describe.configure({ mode: 'default' });

const WORDS = {
  en: {
    title: 'Google connect',
    connect: /^Connect (?:a|another) manager account$/,
    connected: 'The manager account is connected.',
    linkAccount: 'Link account',
    linkTitle: 'Link brand to a Google Customer ID',
    customer: 'Google customer',
    brand: 'Brand',
    domain: 'Analytics domain',
    link: 'Link',
    linked: 'Linked account.',
    renew: 'Renew invitation',
    renewed: 'Renewed invitation.',
    asks: /asks for your consent to read/,
    accept: 'Continue to Google',
    thanks: 'Thank you. The site is connected; you can close this page.',
    linkKeywords: 'Link keywords',
    all: 'All',
    map: 'Map',
    mapped: 'Mapped keywords.',
    retrieve: 'Retrieve datas',
    submit: 'Retrieve',
    cost: /operations? of Google Ads/,
    retrieving: 'Data retrieval in progress.',
    done: 'done',
    elsewhere: /keywords? (?:is|are) of another country than BE/,
    selectAll: 'Select all rows of the page',
    purge: /^Purge datas/,
    purged: 'Purged data.',
    csv: 'Download as CSV',
  },
  fr: {
    title: 'Google connect',
    connect: /^Connecter un (?:autre )?compte administrateur$/,
    connected: 'Le compte administrateur est connecté.',
    linkAccount: 'Lier un compte',
    linkTitle: 'Lier une marque à un Google Customer ID',
    customer: 'Compte Google',
    brand: 'Marque',
    domain: 'Domaine analytics',
    link: 'Lier',
    linked: 'Compte lié.',
    renew: "Renouveler l'invitation",
    renewed: 'Invitation renouvelée.',
    asks: /demande votre accord pour lire/,
    accept: 'Continuer chez Google',
    thanks: 'Merci. Le site est connecté ; vous pouvez fermer cette page.',
    linkKeywords: 'Lier des mots-clés',
    all: 'Tous',
    map: 'Associer',
    mapped: 'Mots-clés associés.',
    retrieve: 'Récupérer des données',
    submit: 'Récupérer',
    cost: /opérations? Google Ads/,
    retrieving: 'Récupération des données en cours.',
    done: 'terminé',
    elsewhere: /mots?-clés? (?:est|sont) d'un autre pays que BE/,
    selectAll: 'Sélectionner toutes les lignes de la page',
    purge: /^Purger les données/,
    purged: 'Données purgées.',
    csv: 'Télécharger en CSV',
  },
} as const;

const CASES = [
  { lng: 'en', brand: 'Maison Brivault', customer: 'Brivault France', domain: 'brivault.example' },
  { lng: 'fr', brand: 'Kestrel Outlet', customer: 'Kestrel Outlet', domain: 'kestrel-outlet.example' },
] as const;

for (const { lng, brand, customer, domain } of CASES) {
  test(`leads from an invitation to figures (${lng})`, async ({ signedIn: page, visitor: open }, { project }) => {
    const words = WORDS[lng];
    // What an earlier try linked.
    ask(
      `delete from google_connect where customer_id = (select customer_id from google_customer where name = '${customer}' limit 1)`,
    );
    await page.goto(`/google-connect?lng=${lng}`);
    await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();

    await page.getByRole('button', { name: words.connect }).click();
    await page.getByRole('button', { name: /Ada Lindqvist/ }).click();
    await expect(page.getByText(words.connected)).toBeVisible();

    await page.getByRole('button', { name: words.linkAccount }).click();
    const modal = page.getByRole('dialog', { name: words.linkTitle });
    await modal.getByRole('combobox', { name: words.customer }).click();
    await page.getByRole('option', { name: new RegExp(customer) }).click();
    await modal.getByRole('combobox', { name: words.brand }).fill(brand);
    await page.getByRole('option', { name: brand }).click();
    await modal.getByLabel(words.domain).fill(domain);
    await page.keyboard.press('Enter');
    await modal.getByRole('button', { name: words.link, exact: true }).click();
    await expect(page.getByText(words.linked)).toBeVisible();
    await rowsShown(page);
    await page.screenshot({ path: `test-results/google-list-${lng}-${project.name}.png` });
    await page.getByRole('link', { name: brand }).first().click();
    await expect(page.getByRole('heading', { level: 1, name: brand })).toBeVisible();

    // Somebody of the brand opens the link, with a browser of their own.
    await page.getByRole('button', { name: words.renew }).click();
    await expect(page.getByText(words.renewed)).toBeVisible();
    const link = await page.locator('code').innerText();
    const visitor = await open();
    await visitor.goto(link.replace('/google-invitation', `/google-invitation?lng=${lng}`));
    await expect(visitor.getByText(words.asks)).toBeVisible();
    await visitor.screenshot({ path: `test-results/google-invitation-${lng}-${project.name}.png` });
    await visitor.getByRole('button', { name: words.accept }).click();
    await visitor.getByRole('button', { name: /Ada Lindqvist/ }).click();
    await expect(visitor.getByText(words.thanks)).toBeVisible();
    await visitor.close();

    await page.getByRole('button', { name: words.linkKeywords }).click();
    const keywords = page.getByRole('dialog', { name: words.linkKeywords });
    await keywords.getByRole('checkbox', { name: words.all }).check();
    await keywords.getByRole('button', { name: words.map, exact: true }).click();
    await expect(page.getByText(words.mapped)).toBeVisible();

    await page.getByRole('button', { name: words.retrieve }).click();
    const retrieve = page.getByRole('dialog', { name: words.retrieve });
    await expect(retrieve.getByRole('status')).toContainText(words.cost);
    await retrieve.getByRole('button', { name: words.submit, exact: true }).click();
    await expect(page.getByText(words.retrieving)).toBeVisible();
    await expect(page.getByText(words.done).first()).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText(words.elsewhere).first()).toBeVisible();
    await expect(page.getByRole('checkbox', { name: words.selectAll })).toBeVisible({ timeout: 30_000 });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `test-results/google-item-${lng}-${width}.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 1440, height: 900 });

    const purge = page.locator('section').getByRole('button', { name: words.purge });
    await expect(purge).toBeDisabled();
    await page.getByRole('checkbox', { name: words.selectAll }).check();
    await purge.click();
    await page.getByRole('dialog').getByRole('button', { name: words.purge }).click();
    await expect(page.getByText(words.purged)).toBeVisible();
  });
}

import { axe, expect, test, VIEWS } from './fixtures';

const WORDS = {
  en: {
    open: 'Import',
    title: 'Import terms',
    noTerms: 'This file has no column of terms.',
    refused: 'Location: “Pariss” is not known. Did you mean “Paris”?',
    apply: 'Apply 2 lines',
    done: '2 terms added',
    unchanged: 'There is nothing to apply',
  },
  fr: {
    open: 'Importer',
    title: 'Importer des mots-clés',
    noTerms: "Ce fichier n'a pas de colonne de mots-clés.",
    refused: 'Localisation : « Pariss » est inconnu. Vouliez-vous dire « Paris » ?',
    apply: 'Appliquer 2 lignes',
    done: '2 mots-clés ajoutés',
    unchanged: "Il n'y a rien à appliquer",
  },
} as const;

for (const { lng, width } of VIEWS)
  test(`imports terms after a dry run (${lng}, ${width} px)`, async ({ signedIn: page }) => {
    const words = WORDS[lng];
    await page.setViewportSize({ width, height: 900 });
    const stem = `okimarket file ${lng} ${width} ${Date.now()}`;
    // Terms that other tests add meanwhile leave the first page to these.
    const filter = JSON.stringify({ type: 'contain', value: stem });
    await page.goto(`/terms-management?${new URLSearchParams({ lng, term: filter })}`);
    const opener = page.getByRole('button', { name: words.open, exact: true });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: words.title });
    const give = (text: string) =>
      dialog
        .locator('input[type=file]')
        .or(page.locator('input[type=file]'))
        .first()
        .setInputFiles({ name: 'terms.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });

    await give('Price\n3\n');
    await expect(dialog.getByText(words.noTerms)).toBeVisible();

    const titles = 'Term;Locale;Location;Engine;Hours between captures';
    const good = ['a', 'b'].map((end) => `${stem} ${end};fr_FR;Paris;GOOGLE;24`);
    const file = [titles, ...good, `${stem} c;fr_FR;Pariss;GOOGLE;24`].join('\n');
    await give(file);
    await expect(dialog.getByText(words.refused)).toBeVisible();
    const { violations } = await axe(page).include('[role=dialog]').analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await dialog.getByRole('button', { name: words.apply }).click();
    await expect(page.getByText(words.done)).toBeVisible();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText(`${stem} a`).first()).toBeVisible();
    await expect(page.getByText(`${stem} c`)).toHaveCount(0);

    await opener.click();
    await give([titles, ...good].join('\n'));
    await expect(dialog.getByText(words.unchanged)).toBeVisible();
  });

import { expect, rowsShown, test, VIEWS, WRITES } from './fixtures';

const WORDS = {
  en: {
    tab: 'Capacity',
    table: 'Engine and proxy',
    fits: 'fits',
    figure: /captures are planned in the next 24 hours/,
    byHour: 'Every hour in figures',
    menu: 'What to do with ',
    update: 'Update',
    quota: 'Captures that may be planned a month',
    range: 'A whole number from 0 to 100,000,000, or nothing',
    updated: 'Company account updated',
    planned: '0 of 20 planned',
    enable: 'activate',
    refused: /This would plan more captures than the quota of a company account allows/,
  },
  fr: {
    tab: 'Capacité',
    table: 'Moteur et proxy',
    fits: 'tient',
    figure: /captures sont prévues dans les prochaines 24 heures/,
    byHour: 'Chaque heure en chiffres',
    menu: 'Que faire de ',
    update: 'Modifier',
    quota: 'Captures pouvant être prévues par mois',
    range: /^Un nombre entier de 0 à 100.000.000, ou rien$/,
    updated: 'Compte client mis à jour',
    planned: '0 prévues sur 20',
    enable: 'activer',
    refused: /Cela prévoirait plus de captures que le quota d'un compte client ne le permet/,
  },
} as const;

for (const { lng, width } of VIEWS) {
  const words = WORDS[lng];

  test(`shows what is planned against what may be asked (${lng}, ${width} px)`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/operations?tab=capacity&lng=${lng}`);
    await expect(page.getByRole('tab', { name: words.tab })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('figure', { name: words.figure })).toBeVisible();
    const google = page.getByRole('region', { name: words.table }).getByRole('row', { name: /Google/ });
    await expect(google).toContainText(words.fits);
    await page.getByText(words.byHour).click();
    await expect(page.getByRole('region', { name: words.byHour }).getByRole('row')).toHaveCount(25);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });

  test(`keeps what is planned within a quota (${lng}, ${width} px)`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height: 900 });
    const name = `Okimarket ${lng} ${width} ${Date.now()}`;
    const make = async (path: string, data: object): Promise<number> => {
      const answer = await page.request.post(`/api/${path}`, { ...WRITES, data });
      expect(answer.ok(), await answer.text()).toBe(true);
      return (await answer.json()).id;
    };
    const company = await make('CompanyAccounts', { name, label: name });
    const brand = await make('Brands', { label: name });
    await page.request.put(`/api/Brands/${brand}/companyAccounts/rel/${company}`, WRITES);
    const places = await page.request.get(`/api/Localizations?filter=${JSON.stringify({ limit: 1 })}`);
    const [{ id: localizationId }] = await places.json();
    const term = {
      term: name,
      engine: 'GOOGLE',
      localizationId,
      every: 86_400_000,
      state: 'disabled',
      brandId: brand,
    };
    const made = await make('Terms', term);

    const where = new URLSearchParams({
      id: JSON.stringify({ type: 'inq', value: [company] }),
      lng,
    });
    await page.goto(`/company-account?${where}`);
    await page.getByRole('button', { name: words.menu + name }).click();
    await page.getByRole('menuitem', { name: words.update }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(words.quota).fill('100000001');
    await dialog.getByRole('button', { name: words.update }).click();
    await expect(dialog.getByText(words.range)).toBeVisible();
    await dialog.getByLabel(words.quota).fill('20');
    await dialog.getByRole('button', { name: words.update }).click();
    await expect(page.getByText(words.updated)).toBeVisible();
    await expect(page.getByText(words.planned)).toBeVisible();

    await page.goto(
      `/terms-management?${new URLSearchParams({ term: JSON.stringify({ type: 'contain', value: name }), lng })}`,
    );
    if (width === 1440) await rowsShown(page);
    await page.getByRole('button', { name: words.menu + name }).click();
    await page.getByRole('menuitem', { name: words.enable, exact: true }).click();
    await expect(page.getByText(words.refused)).toBeVisible();

    await page.request.delete(`/api/Terms/${made}`, WRITES);
    await page.request.delete(`/api/Brands/${brand}`, WRITES);
    await page.request.delete(`/api/CompanyAccounts/${company}`, WRITES);
  });
}

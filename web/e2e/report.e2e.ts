import { readFile } from 'node:fs/promises';
import { expect, test } from './fixtures';

for (const [language, width, height, words] of [
  ['en', 1440, 900, { title: 'Report: all brands', pdf: 'Save as PDF', print: 'Print' }],
  ['fr', 390, 844, { title: 'Rapport : toutes les marques', pdf: 'Enregistrer en PDF', print: 'Imprimer' }],
] as const)
  test(`has the report of a month printed and downloads it, in ${language} at ${width} px`, async ({
    signedIn: page,
  }, info) => {
    await page.setViewportSize({ width, height });
    const month = new Date().toISOString().slice(0, 7);
    await page.goto(`/report?month=${month}&lng=${language}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(words.title);
    await expect(page.getByRole('article')).toHaveAttribute('data-print', 'ready');
    await expect(page.getByRole('button', { name: words.print })).toBeVisible();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: words.pdf }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`report-${month}.pdf`);
    const path = info.outputPath('report.pdf');
    await download.saveAs(path);
    const pdf = await readFile(path);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    // Tiles, a chart and five tables; a page that says only that something is missing is a tenth of that.
    expect(pdf.length).toBeGreaterThan(30_000);
    await expect(page.getByRole('button', { name: words.pdf })).toBeEnabled();
  });

import { describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBrands, prepareTestList, show, testList } from '~/testList';

prepareTestList();

describe('the filter panel', () => {
  const open = () => userEvent.click(page.getByRole('button', { name: /^Filters/ }));
  const panel = page.getByRole('dialog', { name: 'Filters' });
  const saveAndClose = () => userEvent.click(panel.getByRole('button', { name: 'save and close' }));

  it('is announced by its button', async () => {
    show();
    await expect.element(page.getByRole('button', { name: /^Filters/ })).toHaveAttribute('aria-haspopup', 'dialog');
  });

  it('splits a pasted text into values, and changes nothing until it is saved', async () => {
    const { address } = show();
    await open();
    const box = panel.getByRole('combobox', { name: 'Name' });
    await userEvent.click(box);
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'a.example|b.example;c.example\nd.example');
    box.element().dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    await expect.element(panel.getByText('d.example')).toBeVisible();
    expect(address()).not.toHaveProperty('name');
    await saveAndClose();
    const value = ['a.example', 'b.example', 'c.example', 'd.example'];
    await vi.waitFor(() => expect(address()).toMatchObject({ name: { type: 'inq', value } }));
  });

  it('asks the server once after the last key, and keeps the words of what is chosen', async () => {
    const { address } = show();
    await open();
    await userEvent.type(panel.getByRole('combobox', { name: 'Brand' }), 'acm');
    await userEvent.click(panel.getByRole('option', { name: 'Acme' }));
    expect(findBrands.mock.calls.map(([query]) => query)).toEqual(['', 'acm']);
    await saveAndClose();
    await vi.waitFor(() => expect(address()).toMatchObject({ brand: { type: 'inq', value: [7], labels: ['Acme'] } }));
    await expect.element(page.getByRole('list', { name: 'Applied filters' })).toHaveTextContent('Brand');
  });

  it('excludes, and looks for a text', async () => {
    const { address } = show();
    await open();
    await userEvent.click(panel.getByText('contain', { exact: true }));
    await userEvent.fill(panel.getByRole('textbox', { name: 'Name' }), 'shop');
    await saveAndClose();
    await vi.waitFor(() => expect(address()).toMatchObject({ name: { type: 'contain', value: 'shop' } }));
    await open();
    await userEvent.click(panel.getByText('do not contain', { exact: true }));
    await expect.element(panel.getByRole('textbox', { name: 'Name' })).toHaveValue('shop');
    await saveAndClose();
    await vi.waitFor(() => expect(address()).toMatchObject({ name: { type: 'exclude', value: 'shop' } }));
    await expect
      .element(page.getByRole('list', { name: 'Applied filters' }))
      .toHaveTextContent('do not contain “shop”');
    await open();
    await userEvent.click(panel.getByRole('radiogroup', { name: 'How to apply Name' }).getByText('include'));
    await saveAndClose();
    await vi.waitFor(() => expect(address()).not.toHaveProperty('name'));
  });

  it('goes on excluding while a field is empty', async () => {
    const { address } = show();
    await open();
    const device = panel.getByRole('radiogroup', { name: 'How to apply Device' });
    await userEvent.click(device.getByText('exclude'));
    await userEvent.click(panel.getByText('Mobile'));
    await userEvent.click(panel.getByText('Mobile'));
    await expect.element(device.getByRole('radio', { name: 'exclude' })).toBeChecked();
    await userEvent.click(panel.getByText('Desktop'));
    const brand = panel.getByRole('radiogroup', { name: 'How to apply Brand' });
    await userEvent.click(brand.getByText('exclude'));
    await expect.element(brand.getByRole('radio', { name: 'exclude' })).toBeChecked();
    await userEvent.type(panel.getByRole('combobox', { name: 'Brand' }), 'acm');
    await userEvent.click(panel.getByRole('option', { name: 'Acme' }));
    await saveAndClose();
    await vi.waitFor(() =>
      expect(address()).toMatchObject({
        device: { type: 'nin', value: ['desktop'] },
        brand: { type: 'nin', value: [7] },
      }),
    );
  });

  it('has one calendar open at most until another is asked for', async () => {
    const date = { kind: 'dateRange', group: 'All', presets: ['today', 'last7'] } as const;
    const filters = { ...testList.filters, made: { ...date, label: 'Made' }, sent: { ...date, label: 'Sent' } };
    const { address } = show('/terms', { ...testList, filters });
    await open();
    await expect.element(panel.getByRole('table')).toBeVisible();
    expect(panel.getByRole('table').elements()).toHaveLength(1);
    await userEvent.click(panel.getByRole('button', { name: 'Made any date' }));
    await userEvent.click(panel.getByRole('group', { name: 'Made' }).getByRole('button', { name: 'last 7 days' }));
    await expect.element(panel.getByRole('button', { name: 'Made last 7 days' })).toBeVisible();
    await saveAndClose();
    await vi.waitFor(() => expect(address()).toMatchObject({ made: { type: 'between', preset: 'last7' } }));
  });

  it('gives the focus back to what opened it', async () => {
    show();
    await open();
    await expect.element(panel).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await expect.element(panel).not.toBeInTheDocument();
    await expect.element(page.getByRole('button', { name: /^Filters/ })).toHaveFocus();
  });

  it('forgets what was edited when it is closed without saving', async () => {
    const { address } = show();
    await open();
    await userEvent.click(panel.getByRole('button', { name: 'last 7 days' }));
    await userEvent.click(panel.getByRole('button', { name: 'Close', exact: true }));
    await expect.element(panel).not.toBeInTheDocument();
    expect(address()).not.toHaveProperty('date');
  });

  it('applies a quick filter at once', async () => {
    const { address } = show();
    await userEvent.click(page.getByRole('group', { name: 'Quick filters' }).getByRole('button', { name: 'Date' }));
    await userEvent.click(page.getByRole('button', { name: 'last 7 days' }));
    await vi.waitFor(() => expect(address()).toMatchObject({ date: { type: 'between', preset: 'last7' } }));
  });
});

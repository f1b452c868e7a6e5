import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { Tags } from './Tags';

afterEach(cleanup);

it('counts the hidden tags again when a tag is removed', async () => {
  await page.viewport(1440, 900);
  const tags = ['Official', 'Reseller', 'Partner'].map((label, index) => ({ id: index, label }));
  // As wide as the first tag alone, so that a removal changes no size.
  const cell = (count: number) => (
    <div style={{ width: 100 }}>
      <Tags row={{ categories: tags.slice(0, count) }} />
    </div>
  );
  const { container, rerender } = render(cell(3));
  await vi.waitFor(() => expect(container).toHaveTextContent(/\+2$/));
  rerender(cell(2));
  await vi.waitFor(() => expect(container).toHaveTextContent(/\+1$/));
  rerender(cell(1));
  await vi.waitFor(() => expect(container).not.toHaveTextContent('+'));
});

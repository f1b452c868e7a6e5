import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { Tools } from '../types';
import { FIGURE_CELLS } from './cells';
import type { Figures } from './figures';

afterEach(cleanup);

it('draws the figures of its row when they come, without the grid', () => {
  const listeners = new Set<() => void>();
  let figures: Figures | undefined;
  const tools = {
    t: (key: string) => key,
    fmt: { count: String },
    figures: {
      of: (id: string) => (id === 'shop.example' ? figures : undefined),
      subscribe: (changed: () => void) => {
        listeners.add(changed);
        return () => void listeners.delete(changed);
      },
    },
  } as unknown as Tools;
  const Presence = FIGURE_CELLS.presence;
  const cell = (id: string) => <Presence {...({ data: { id }, context: tools } as Parameters<typeof Presence>[0])} />;
  const { container, unmount } = render(
    <>
      {cell('shop.example')}
      {cell('other.example')}
    </>,
  );
  expect(container).toHaveTextContent('');
  figures = { days: [], isRunning: false, views: 'new', visibility: undefined, seen: 3, captures: 12 } as Figures;
  act(() => {
    for (const changed of listeners) changed();
  });
  expect(container).toHaveTextContent('3 / 12');
  unmount();
  expect(listeners.size).toBe(0);
});

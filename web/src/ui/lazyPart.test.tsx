import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { lazyPart } from './lazyPart';
import { toast } from './toast';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('is told, and appears by itself when the connection is back, where its code could not be loaded', async () => {
  const told = vi.spyOn(toast, 'error').mockReturnValue();
  const load = vi
    .fn<() => Promise<() => string>>()
    .mockRejectedValueOnce(new TypeError('Failed to fetch dynamically imported module'))
    .mockResolvedValue(() => 'the part');
  const Part = lazyPart(load, { waiting: 'waiting' });
  render(<Part />);
  await waitFor(() => expect(told).toHaveBeenCalledTimes(1));
  expect(screen.getByText('waiting')).toBeTruthy();
  window.dispatchEvent(new Event('online'));
  await waitFor(() => expect(screen.getByText('the part')).toBeTruthy());
  expect(load).toHaveBeenCalledTimes(2);
});

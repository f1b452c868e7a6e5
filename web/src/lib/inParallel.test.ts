import { expect, it } from 'vitest';
import { inParallel } from './inParallel';

it('works on every item once, six at a time at most', async () => {
  const items = Array.from({ length: 20 }, (_, index) => index);
  const worked: number[] = [];
  let running = 0;
  let most = 0;
  await inParallel(items, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    worked.push(item);
    running -= 1;
  });
  expect(worked.sort((one, other) => one - other)).toEqual(items);
  expect(most).toBe(6);
});

import { describe, expect, it } from 'vitest';
import { costOfNew, type EngineLoad } from './planCost';

const load = (country: string | null, perHour: number): EngineLoad => ({
  engine: 'google',
  country,
  limitPerHour: 1_000,
  perHour: { before: perHour, after: perHour },
  share: { before: perHour / 1_000, after: perHour / 1_000 },
});

describe('the cost of new terms', () => {
  it('is added to the load of the route of their country, else of the common one', () => {
    const loads = [load(null, 400), load('FR', 100)];
    expect(costOfNew(240, 'FR', loads).engines).toMatchObject([{ country: 'FR', share: { before: 0.1, after: 0.11 } }]);
    expect(costOfNew(240, 'DE', loads).engines).toMatchObject([{ country: null, share: { before: 0.4, after: 0.41 } }]);
  });

  it('is their captures alone where no term asks this engine yet', () => {
    expect(costOfNew(24, 'FR', [])).toEqual({ perDay: { before: 0, after: 24 }, engines: [] });
  });
});

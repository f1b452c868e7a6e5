import { describe, expect, it } from 'vitest';
import type { ComparedOffer } from '~/api/queries/comparator';
import { LINES, pricesByDay } from './prices';

const offer = (...days: ComparedOffer['days']): ComparedOffer => ({
  merchant: 'Zamboli',
  domain: 'zamboli.example',
  comparator: '',
  price: 90,
  ownPrice: 100,
  gap: 0.1,
  date: '2026-03-02',
  daysBelow: 1,
  views: 1,
  capture: '',
  days,
});

describe('the prices of a product by day', () => {
  it('hold the own price for 30 days after it was seen last, and no longer', () => {
    const days = pricesByDay({
      ownDays: [{ date: '2026-03-01', price: 100 }],
      offers: [offer({ date: '2026-03-31', price: 90 }, { date: '2026-04-01', price: 80 })],
    });
    expect(days).toEqual([
      { date: '2026-03-01', own: 100, offers: [undefined] },
      { date: '2026-03-31', own: 100, offers: [90] },
      { date: '2026-04-01', own: undefined, offers: [80] },
    ]);
  });

  it('are those of a few sellers', () => {
    const offers = Array.from({ length: LINES + 3 }, () => offer({ date: '2026-03-01', price: 90 }));
    expect(pricesByDay({ ownDays: [], offers })[0]?.offers).toHaveLength(LINES);
  });
});

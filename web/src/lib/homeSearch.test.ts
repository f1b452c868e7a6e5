import { describe, expect, it } from 'vitest';
import { caseFilters, homeFilters, readHomeSearch } from './homeSearch';
import { readReportSearch } from './reportSearch';

describe('the state of the home page', () => {
  it('is read from an address without what does not belong there', () => {
    const brandID = { type: 'inq', value: [7], labels: ['Acme'] } as const;
    expect(
      readHomeSearch({ days: '90', kind: 'shopping', brandID, country: 'FR', engine: { type: 'inq', value: [] } }),
    ).toEqual({
      days: 90,
      kind: 'shopping',
      brandID,
    });
    expect(readHomeSearch({ days: 8, kind: 'all', device: { type: 'contain', value: 'x' } })).toEqual({});
  });

  it('names filters as the lists do', () => {
    const engine = { type: 'inq', value: ['bing'] } as const;
    const device = { type: 'nin', value: ['mobile'] } as const;
    expect(homeFilters({ days: 7, engine, device })).toEqual({ engine, device });
    expect(caseFilters({ engine, device })).toEqual({ provider: engine });
  });

  it('is, of a report, a brand and a month', () => {
    expect(readReportSearch({ brand: '7', month: '2026-02' })).toEqual({ brand: 7, month: '2026-02' });
    expect(readReportSearch({ brand: 'x', month: '2026-13' })).toEqual({});
    expect(readReportSearch({ month: '2126-01' })).toEqual({});
  });
});

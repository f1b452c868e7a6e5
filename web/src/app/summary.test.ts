import { describe, expect, it } from 'vitest';
import { summaryFilters } from './summary';

const day = (text: string) => new Date(text).toISOString();

describe('a summary address', () => {
  it('asks for dates, brand, domain and type', () => {
    const asked = {
      start: '2026-01-01T00:00:00Z',
      end: '2026-01-31T23:59:59Z',
      brand: 3,
      domain: 'a.example',
      type: 'ads',
    };
    expect(summaryFilters(JSON.stringify(asked))).toEqual({
      date: { type: 'between', value: { start: day(asked.start), end: day(asked.end) } },
      brandID: { type: 'inq', value: [3] },
      domain: { type: 'inq', value: ['a.example'] },
      type: { type: 'inq', value: ['ads'] },
    });
  });

  it('keeps the whole of its last day', () => {
    const { date } = summaryFilters('{"start":"2026-01-01","end":"2026-01-31"}');
    // Tests run in Paris.
    expect(date?.value).toEqual({ start: '2025-12-31T23:00:00.000Z', end: '2026-01-31T22:59:59.999Z' });
    expect(summaryFilters('start=2026-01-31&end=2026-01-31').date?.value).toMatchObject({
      end: '2026-01-31T22:59:59.999Z',
    });
  });

  it('can be written as a query, and with lists', () => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    const end = Date.parse('2026-01-02T00:00:00Z');
    expect(summaryFilters(`start=${start}&end=${end}`)).toEqual({
      date: { type: 'between', value: { start: day('2026-01-01T00:00:00Z'), end: day('2026-01-02T00:00:00Z') } },
    });
    expect(summaryFilters('{"domain":["a.example","b.example"],"brand":["7","x"]}')).toEqual({
      brandID: { type: 'inq', value: [7] },
      domain: { type: 'inq', value: ['a.example', 'b.example'] },
    });
  });

  it('asks for nothing where it cannot be read', () => {
    for (const text of ['', '{', 'nonsense', '[]', '{"start":"x","end":null}']) {
      expect(summaryFilters(text)).toEqual({});
    }
  });
});

import { describe, expect, it } from 'vitest';
import type { ListSearch } from '~/lib/listSearch';
import { actionQueryString } from './actionQuery';

const search = (filters: ListSearch['filters'], more: Partial<ListSearch> = {}): ListSearch => ({
  page: 2,
  perPage: 30,
  order: 'lastView',
  direction: 'DESC',
  filters,
  ...more,
});

const pairs = (text: string) => [...new URLSearchParams(text)].map(([key, value]) => `${key}=${value}`);

describe('the query of the action search', () => {
  it('names the page, and the order with a minus for downwards', () => {
    expect(pairs(actionQueryString(search({})))).toEqual(['page[size]=30', 'page[number]=2', 'sortBy=-lastView']);
    const all = actionQueryString(search({}, { perPage: 'all', page: 1, direction: 'ASC', order: 'domain' }));
    expect(pairs(all)).toEqual(['noPaging=true', 'page[number]=1', 'sortBy=domain']);
  });

  it('flattens values into lists, ranges into ends, and puts a minus before what is excluded', () => {
    const text = actionQueryString(
      search({
        status: { type: 'inq', value: ['new', 'requested'] },
        country: { type: 'nin', value: ['FR'] },
        lastView: { type: 'between', value: { start: 'a', end: 'b' } },
        adTitle: { type: 'contain', value: '50.5 (a/b)' },
        adDescription: { type: 'exclude', value: 'x' },
      }),
    );
    expect(pairs(text).slice(3)).toEqual([
      'status[]=new',
      'status[]=requested',
      'country[]=-FR',
      'lastView[start]=a',
      'lastView[end]=b',
      'adTitle[regexp]=/50\\.5 \\(a\\/b\\)/i',
      'adDescription[regexp]=-/x/i',
    ]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '~/api/errors';
import { isApiLink } from '~/api/links';
import { applyLayout, parseLayout } from './columns';
import { matchingRows } from './ListHeading';
import { errorSlots } from './ListState';
import { pageCount, pageWindow } from './Pager';
import { createSelection } from './selection';

describe('the pages of a list', () => {
  it('show five before and five after the current one', () => {
    expect(pageWindow(10, 20)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(pageWindow(1, 20)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(pageWindow(20, 20)).toEqual([15, 16, 17, 18, 19, 20]);
    expect(pageWindow(2, 3)).toEqual([1, 2, 3]);
  });

  it('are counted up, and one when everything is shown', () => {
    expect(pageCount(61, 30)).toBe(3);
    expect(pageCount(60, 30)).toBe(2);
    expect(pageCount(0, 30)).toBe(1);
    expect(pageCount(9_000, 'all')).toBe(1);
  });
});

describe('the text box', () => {
  const rows = ['Alpha shop FR', 'beta shop BE', 'gamma'];
  const match = (text: string) => matchingRows(rows, text, (row) => row);

  it('keeps the rows that hold every word, whatever the case', () => {
    expect(match('SHOP fr')).toEqual(['Alpha shop FR']);
    expect(match('  ')).toEqual(rows);
    expect(match('delta')).toEqual([]);
  });
});

describe('the errors of a list', () => {
  it('keep too many results and everything else apart', () => {
    expect(errorSlots(new ApiError(408, 'TOO_MANY_RESULTS', ''))).toEqual({ timeout: true, other: false });
    expect(errorSlots(new ApiError(500, 'INTERNAL', ''))).toEqual({ timeout: false, other: true });
    expect(errorSlots(new TypeError('x'))).toEqual({ timeout: false, other: true });
    expect(errorSlots(null)).toEqual({ timeout: false, other: false });
  });
});

describe('a selection', () => {
  it('tells its listeners of changes and not of emptying what is empty', () => {
    const selection = createSelection<{ id: string }>();
    const changed = vi.fn();
    const stop = selection.subscribe(changed);
    selection.set([]);
    selection.set([{ id: '1' }, { id: '2' }]);
    expect(selection.get()).toEqual([{ id: '1' }, { id: '2' }]);
    stop();
    selection.set([]);
    expect(changed).toHaveBeenCalledTimes(1);
  });
});

describe('a selection of the whole list', () => {
  const rows = [{ id: '1' }, { id: '2' }];

  it('ends with another choice of rows, but not when the same rows are loaded again', () => {
    const selection = createSelection<{ id: string }>();
    selection.set(rows);
    selection.selectWhole();
    selection.set([{ id: '2' }, { id: '1' }]);
    expect(selection.isWhole()).toBe(true);
    selection.set(rows.slice(0, 1));
    expect(selection.isWhole()).toBe(false);
    selection.set(rows);
    expect(selection.isWhole()).toBe(false);
  });
});

describe('the columns of a person', () => {
  const columns = [{ colId: 'a', flex: 1 }, { colId: 'b' }, { colId: 'c' }];

  it('are ordered, sized and hidden as they were left', () => {
    const layout = { hidden: ['b'], order: ['c', 'a', 'b'], widths: { a: 300 } };
    expect(applyLayout(columns, layout)).toEqual([
      { colId: 'c', hide: false },
      { colId: 'a', width: 300, hide: false },
      { colId: 'b', hide: true },
    ]);
  });

  it('hold a column that is new at the end', () => {
    expect(applyLayout(columns, { hidden: [], order: ['c', 'b'], widths: {} }).map(({ colId }) => colId)).toEqual([
      'c',
      'b',
      'a',
    ]);
  });

  it('are as defined when what was stored cannot be read', () => {
    expect(parseLayout('x')).toEqual({ hidden: [], order: [], widths: {} });
    expect(parseLayout({ hidden: [1, 'a'], order: 7, widths: { a: 'wide', b: 90 } })).toEqual({
      hidden: ['a'],
      order: [],
      widths: { b: 90 },
    });
  });
});

describe('an export link', () => {
  it('is followed only to our own API', () => {
    expect(isApiLink('/api/Sems/findAdvertisers?csv=1')).toBe(true);
    expect(isApiLink('/logout')).toBe(false);
    expect(isApiLink('https://evil.example/api/x')).toBe(false);
    expect(isApiLink('javascript:alert(1)')).toBe(false);
  });
});

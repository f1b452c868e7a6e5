import { describe, expect, it } from 'vitest';
import { formatsOf } from '~/lib/formats';
import type { Where } from '~/lib/listSearch';
import type { ChoiceFilter, FilterKindDef } from '../types';
import { describeWhere, type ListTexts, parseWhere } from './kinds';

const dates: FilterKindDef = { kind: 'dateRange', presets: ['last7'] };
const range: FilterKindDef = { kind: 'range', min: 1, max: 15, step: 1 };
const choice: ChoiceFilter = {
  kind: 'choice',
  exclude: true,
  options: [
    { value: 'FR', label: 'france' },
    { value: 'BE', label: 'belgium' },
    { value: 'DE', label: 'germany' },
  ],
};
const campaign: ChoiceFilter = {
  kind: 'choice',
  single: true,
  options: [
    { value: 'ads', label: 'ads only' },
    { value: 'all', label: 'ads and shopping', values: ['ads', 'shopping'] },
  ],
};
const found: FilterKindDef = { kind: 'asyncChoice', search: async () => [] };
const chips: FilterKindDef = { kind: 'chips', exclude: true, contain: true };

describe('reading a filter', () => {
  it('turns a date range whose end is before its start, in whole days', () => {
    const value = { start: '2026-03-10T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' };
    const read = parseWhere(dates, { type: 'between', value });
    expect(read).toEqual({
      type: 'between',
      value: { start: '2026-02-28T23:00:00.000Z', end: '2026-03-10T22:59:59.999Z' },
    });
  });

  it('keeps a preset that exists and drops one that does not', () => {
    const value = { start: '2026-03-01T00:00:00.000Z', end: '2026-03-07T00:00:00.000Z' };
    expect(parseWhere(dates, { type: 'between', value, preset: 'last7' })).toMatchObject({ preset: 'last7' });
    expect(parseWhere(dates, { type: 'between', value, preset: 'ever' })).not.toHaveProperty('preset');
  });

  it('turns and clamps a range of numbers', () => {
    expect(parseWhere(range, { type: 'between', value: { start: 40, end: 0 } })).toEqual({
      type: 'between',
      value: { start: 1, end: 15 },
    });
  });

  it('keeps only the values a choice offers', () => {
    expect(parseWhere(choice, { type: 'inq', value: ['FR', 'XX'] })).toEqual({ type: 'inq', value: ['FR'] });
    expect(parseWhere(choice, { type: 'inq', value: ['XX'] })).toBeUndefined();
    expect(parseWhere(campaign, { type: 'inq', value: ['ads', 'shopping'] })).toMatchObject({
      value: ['ads', 'shopping'],
    });
  });

  it('takes any country, whether or not searches are made from there', () => {
    const countries: FilterKindDef = { kind: 'countries', exclude: true };
    const asked = { type: 'nin', value: ['SE', 'JP', 'sweden', 7, ''] };
    expect(parseWhere(countries, asked)).toEqual({ type: 'nin', value: ['SE', 'JP'] });
    expect(parseWhere(countries, { type: 'inq', value: ['x'] })).toBeUndefined();
  });

  it('excludes only where excluding is offered', () => {
    expect(parseWhere(choice, { type: 'nin', value: ['FR'] })).toMatchObject({ type: 'nin' });
    expect(parseWhere(campaign, { type: 'nin', value: ['ads'] })).toBeUndefined();
  });

  it('keeps a value that looks like a number in another notation a text', () => {
    expect(parseWhere(chips, { type: 'inq', value: ['662E41', '007'] })).toEqual({
      type: 'inq',
      value: ['662E41', '007'],
    });
  });

  it('keeps labels only when every value has one', () => {
    expect(parseWhere(found, { type: 'inq', value: [1, 2], labels: ['Acme', 'Nordlys'] })).toHaveProperty('labels');
    expect(parseWhere(found, { type: 'inq', value: [1, 2], labels: ['Acme'] })).not.toHaveProperty('labels');
  });

  it('trims a text and takes an empty one for no filter', () => {
    expect(parseWhere({ kind: 'text' }, { type: 'contain', value: '  sale ' })).toEqual({
      type: 'contain',
      value: 'sale',
    });
    expect(parseWhere({ kind: 'text' }, { type: 'exclude', value: ' ' })).toBeUndefined();
    expect(parseWhere(chips, { type: 'exclude', value: ' shop ' })).toEqual({ type: 'exclude', value: 'shop' });
    const onlyPart: FilterKindDef = { kind: 'chips', contain: true };
    expect(parseWhere(onlyPart, { type: 'exclude', value: 'shop' })).toBeUndefined();
  });

  it.each([dates, range, choice, campaign, found, chips, { kind: 'text' } as const])(
    'never fails on what means nothing to $kind',
    (def) => {
      const junk = [null, 7, 'text', [], {}, { type: 'inq' }, { type: 'between', value: { start: {}, end: [] } }];
      for (const raw of [...junk, { type: '__proto__', value: null }, { type: 'inq', value: [null, {}, ''] }]) {
        expect(parseWhere(def, raw)).toBeUndefined();
      }
    },
  );
});

describe('a filter in words', () => {
  const words: ListTexts = {
    own: (key) => key,
    list: (key, options) => `${key} ${JSON.stringify(options ?? {})}`,
    fmt: formatsOf('en'),
  };
  const say = (def: FilterKindDef, where: Where) => describeWhere(def, where, words);

  it('names a preset rather than its dates', () => {
    const value = { start: '2026-03-01T00:00:00', end: '2026-03-07T00:00:00' };
    expect(say(dates, { type: 'between', value, preset: 'last7' })).toContain('date.last7');
    expect(say(dates, { type: 'between', value })).toContain('"start":"01/03/2026","end":"07/03/2026"');
  });

  it('says one day once', () => {
    const value = { start: '2026-03-01T00:00:00', end: '2026-03-01T23:59:59' };
    expect(say(dates, { type: 'between', value })).toBe('01/03/2026');
  });

  it('names choices, and counts what is too long to name', () => {
    expect(say(choice, { type: 'inq', value: ['FR', 'BE'] })).toBe('france, belgium');
    expect(say(choice, { type: 'inq', value: ['FR', 'BE', 'DE'] })).toContain('"count":1');
    expect(say(campaign, { type: 'inq', value: ['shopping', 'ads'] })).toBe('ads and shopping');
  });

  it('shows the labels of found values, else the values', () => {
    expect(say(found, { type: 'inq', value: [1], labels: ['Acme'] })).toBe('Acme');
    expect(say(found, { type: 'nin', value: [1] })).toContain('"value":"1"');
  });
});

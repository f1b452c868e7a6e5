import { describe, expect, it } from 'vitest';
import type { BrandRow } from '~/api/queries/brands';
import { changeOf, valuesOf } from './brandValues';

const brand: BrandRow = {
  id: '1',
  label: 'Kelmora',
  name: 'kelmora',
  autoMatch: '\\b(?:kelmora)\\b',
  autoMatchExclude: '',
  companies: [],
  flags: {
    validated: true,
    createNotification: false,
    createShoppingNotification: false,
    notificationAuto: false,
    autoReminder: false,
  },
  frequency: null,
  quota: null,
  totalViews: 0,
  isEnabled: true,
};
const initial = valuesOf(brand);

describe('what is sent of an edited brand', () => {
  it('is nothing where nothing was edited', () => {
    expect(changeOf(initial, initial)).toEqual({});
  });

  it('leaves reminder and switches to the company account until they are edited', () => {
    expect(changeOf({ ...initial, label: 'Kelmora Home' }, initial)).toEqual({ label: 'Kelmora Home' });
    expect(changeOf({ ...initial, flags: { ...initial.flags, validated: false } }, initial)).toEqual({
      flags: { validated: false },
    });
  });

  it('is the whole reminder where a part of it was edited', () => {
    expect(changeOf({ ...initial, quota: 5 }, initial)).toEqual({
      reminder: { autoReminder: false, frequency: 15, quota: 5 },
    });
  });

  it('has the patterns as they are stored', () => {
    expect(changeOf({ ...initial, strict: false, autoMatchExcludeRegExp: 'rue' }, initial)).toEqual({
      autoMatch: 'kelmora',
      autoMatchExclude: 'rue',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { countriesOf } from './countries';

describe('the countries of places', () => {
  it('are each there once, with their names', () => {
    const switzerland = { fr: 'Suisse', en: 'Switzerland' };
    const places = [
      { locale: 'de_CH', country: switzerland },
      { locale: 'fr_CH', country: switzerland },
      { locale: 'ja_JP', country: null },
    ];
    expect(countriesOf(places)).toEqual([
      { code: 'CH', names: switzerland },
      { code: 'JP', names: {} },
    ]);
  });

  it('are none where a place has no locale of a country', () => {
    expect(countriesOf([{ locale: 'fr' }, { locale: 'anything' }, { locale: null }, {}])).toEqual([]);
  });
});

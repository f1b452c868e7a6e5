import { describe, expect, it } from 'vitest';
import { cityKey, countriesOf, namesakesOf } from './countries';

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

describe('cities of one name', () => {
  it('are those in several regions of a country, in whatever language they are searched', () => {
    const places = [
      { locale: 'nl_NL', city: 'Bergen', region: 'Limburg' },
      { locale: 'nl_NL', city: 'Bergen', region: 'North Holland' },
      { locale: 'no_NO', city: 'Bergen', region: 'Vestland' },
      { locale: 'fr_BE', city: 'Brussels', region: 'Brussels' },
      { locale: 'nl_BE', city: 'Brussels', region: 'Brussels' },
    ];
    expect(namesakesOf(places)).toEqual(new Set([cityKey('NL', 'Bergen')]));
  });
});

import { describe, expect, it } from 'vitest';
import { withoutAccents } from './accents';
import { placeName } from './places';
import { placeAndRegion, placesCalled } from './regions';

describe('names of places', () => {
  it('are those of the language', () => {
    expect(placeName('Lisbon', 'fr')).toBe('Lisbonne');
    expect(placeName('Bretagne', 'en')).toBe('Brittany');
    expect(placeName('Reims', 'fr')).toBe('Reims');
    expect(placeName('Liège', 'en')).toBe('Liège');
  });

  it('have their region where the server says it, each in the language', () => {
    expect(placeName('Bergen (Limburg)', 'fr')).toBe('Bergen (Limbourg)');
    expect(placeName('Frankfurt (Oder)', 'fr')).toBe('Francfort (Oder)');
    expect(placeAndRegion('Saint-Denis', 'Reunion', 'fr')).toBe('Saint-Denis, La Réunion');
    expect(placeAndRegion('Berlin', 'Berlin', 'en')).toBe('Berlin');
    expect(placeAndRegion('Paris', '', 'en')).toBe('Paris');
  });

  it('are found by how they begin in the language, with or without accents', () => {
    expect(placesCalled('athenes', 'fr')).toEqual(['Athens']);
    expect(placesCalled('VIENNE', 'fr')).toEqual(['Vienna']);
    expect(placesCalled('vienne', 'en')).toEqual([]);
    expect(placesCalled(' ', 'en')).toEqual([]);
    expect(withoutAccents('Łódź')).toBe('lodz');
  });
});

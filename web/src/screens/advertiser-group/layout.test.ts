import { describe, expect, it } from 'vitest';
import { placesOf, sizeOf } from './layout';

const domain = (name: string, member: boolean) => ({ domain: name, member, hosts: [], views: 1, ads: 1, days: [] });

describe('the picture of a group', () => {
  it('has the first domain in the middle and every other at a place of its own', () => {
    const others = Array.from({ length: 12 }, (_, at) => domain(`shop-${at}.example`, at % 2 === 0));
    const places = placesOf({ domains: [domain('first.example', true), ...others] });
    expect(places.get('first.example')).toEqual({ x: 50, y: 50 });
    const spots = new Set([...places.values()].map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`));
    expect(spots.size).toBe(13);
    for (const { x, y } of places.values()) {
      expect(x).toBeGreaterThan(5);
      expect(x).toBeLessThan(95);
      expect(y).toBeGreaterThan(5);
      expect(y).toBeLessThan(95);
    }
  });

  it('draws a domain without views, too', () => {
    expect(sizeOf(0, 0)).toBe(40);
    expect(sizeOf(10, 10)).toBe(68);
  });
});

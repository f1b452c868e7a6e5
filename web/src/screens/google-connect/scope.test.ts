import { describe, expect, it } from 'vitest';
import { customerId, servicesOf } from './scope';

describe('a scope', () => {
  it('gives access to the services whose addresses it has', () => {
    const ads = 'https://www.googleapis.com/auth/adwords';
    const site = 'https://www.googleapis.com/auth/webmasters.readonly';
    expect([...servicesOf([ads, site])]).toEqual(['searchConsole', 'ads']);
    expect([...servicesOf(['https://www.googleapis.com/auth/webmasters'])]).toEqual(['searchConsole']);
    expect([...servicesOf([])]).toEqual([]);
  });

  it('belongs to a customer whose id is written with dashes', () => {
    expect(customerId('1234567890')).toBe('123-456-7890');
    expect(customerId('12')).toBe('12');
  });
});

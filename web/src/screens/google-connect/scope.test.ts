import { describe, expect, it } from 'vitest';
import { servicesOf } from './scope';

describe('a scope', () => {
  it('gives access to the services whose addresses it has', () => {
    const ads = 'https://www.googleapis.com/auth/adwords';
    const site = 'https://www.googleapis.com/auth/webmasters.readonly';
    expect([...servicesOf([ads, site])]).toEqual(['searchConsole', 'ads']);
    expect([...servicesOf(['https://www.googleapis.com/auth/webmasters'])]).toEqual(['searchConsole']);
    expect([...servicesOf([])]).toEqual([]);
  });
});

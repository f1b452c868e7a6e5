import { describe, expect, it } from 'vitest';
import { customerId } from './customerId';

describe('the id of a customer', () => {
  it('is written with dashes', () => {
    expect(customerId('1234567890')).toBe('123-456-7890');
    expect(customerId('12')).toBe('12');
  });
});

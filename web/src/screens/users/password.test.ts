import { describe, expect, it } from 'vitest';
import { generatePassword } from './password';

describe('a generated password', () => {
  it('is 20 characters long and follows the rules of the server', () => {
    for (let time = 0; time < 200; time += 1) {
      const password = generatePassword();
      expect(password).toHaveLength(20);
      for (const part of [/[a-z]/, /[A-Z]/, /[0-9]/, /[@$!%*?&]/]) expect(password).toMatch(part);
    }
  });

  it('is different each time', () => {
    expect(new Set(Array.from({ length: 100 }, generatePassword)).size).toBe(100);
  });
});

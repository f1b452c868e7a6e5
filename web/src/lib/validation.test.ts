import { describe, expect, it } from 'vitest';
import { keepsRules, type PasswordRule, PROFILE_RULES, RESET_RULES } from './validation';

const broken = (password: string, rules: readonly PasswordRule[]) =>
  rules.filter(({ holds }) => !holds(password)).map(({ key }) => key);

describe('a password chosen with a link', () => {
  it.each([
    ['Str0ng#abc', []],
    ['Str0ng#ab', ['length']],
    ['str0ng#abc', ['upper']],
    ['STR0NG#ABC', ['lower']],
    ['Strong#abc', ['digit']],
    ['Str0ngabcd', ['special']],
    ['', ['length', 'upper', 'lower', 'digit', 'special']],
  ])('%s breaks %j', (password, expected) => {
    expect(broken(password, RESET_RULES)).toEqual(expected);
  });

  it('takes every special character of the list', () => {
    for (const special of '!@#$%^&*()_+-=[]{};:\'",.<>/?\\|`~') {
      expect({ special, kept: keepsRules(`Abcdefgh1${special}`, RESET_RULES) }).toEqual({ special, kept: true });
    }
  });
});

describe('a password changed in the profile', () => {
  it.each([
    ['Str0ng!a', []],
    ['Str0ng!', ['length']],
    ['Str0ng#a', ['special']],
  ])('%s breaks %j', (password, expected) => {
    expect(broken(password, PROFILE_RULES)).toEqual(expected);
  });
});

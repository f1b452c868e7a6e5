import { describe, expect, it } from 'vitest';
import { isDomain, keepsRules, type PasswordRule, PROFILE_RULES, RESET_RULES } from './validation';

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

describe('a domain name', () => {
  it.each([
    'a.com',
    'www.shop.example',
    'x-1.co.uk',
    `${'a'.repeat(63)}.fr`,
    'xn--chteau-fwa.fr',
    '1.example.xn--p1ai',
  ])('is %s', (text) => expect(isDomain(text)).toBe(true));

  it.each([
    '',
    'foo bar',
    'shop',
    'a..com',
    '-a.com',
    'a-.com',
    `${'a'.repeat(64)}.fr`,
    'https://a.com',
    'a.com/x',
    'a_b.com',
    'a.1',
    `${'a.'.repeat(126)}com`,
  ])('is not %s', (text) => expect(isDomain(text)).toBe(false));
});

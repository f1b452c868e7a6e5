import { describe, expect, it } from 'vitest';
import { safeRedirect } from './redirect';

describe('the address after sign-in', () => {
  it.each(['/', '/terms', '/domains?page=2&order=%22domain%22', '/action/5#notes'])('keeps %s', (target) => {
    expect(safeRedirect(target)).toBe(target);
  });

  it.each([
    ['another site', 'https://evil.example/'],
    ['another site without a scheme', '//evil.example'],
    ['a backslash that browsers read as a slash', '/\\evil.example'],
    ['a control character that browsers drop', '/\t/evil.example'],
    ['a script', 'javascript:alert(1)'],
    ['a relative path', 'terms'],
    ['nothing', ''],
    ['no text', undefined],
  ])('goes home instead of to %s', (_, target) => {
    expect(safeRedirect(target)).toBe('/');
  });
});

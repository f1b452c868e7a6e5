import { describe, expect, it } from 'vitest';
import { matching } from './matching';
import { matchingName } from './matchingName';

/** Whether a name meets a condition, as the server reads it. */
function meets(name: string, { regexp }: { regexp: string }): boolean {
  const [, source = '', flags] = /^\/(.*)\/([a-z]*)$/.exec(regexp) ?? [];
  return new RegExp(source, flags).test(name);
}

describe('conditions of a text', () => {
  it('take it as it is', () => {
    expect(matching('a.b/c')).toEqual({ regexp: '/a\\.b\\/c/i' });
  });

  it('find names with or without accents, from either side', () => {
    expect(meets('États-Unis', matchingName('etats-unis'))).toBe(true);
    expect(meets('Reunion', matchingName('RÉUNION'))).toBe(true);
    expect(meets('Łódź', matchingName('lodz'))).toBe(true);
    expect(meets('Brest', matchingName('br.st'))).toBe(false);
  });

  it('stay shorter than what the server takes', () => {
    expect(matchingName('a'.repeat(500)).regexp.length).toBeLessThan(512);
  });
});

import { describe, expect, it } from 'vitest';
import { hasSlashes, readPattern, storedPattern } from './patterns';

describe('a strict pattern', () => {
  it('is stored between word boundaries, around all of its alternatives', () => {
    expect(storedPattern({ text: 'brivault|brivaut', strict: true })).toBe('\\b(?:brivault|brivaut)\\b');
    expect(storedPattern({ text: 'brivault', strict: false })).toBe('brivault');
    expect(storedPattern({ text: '', strict: true })).toBe('');
  });

  it.each(['foo', 'a|b', '(a|b)c', 'a\\)b', '[)(]x', 'a\\\\'])('is recognised again: %s', (text) => {
    expect(readPattern(storedPattern({ text, strict: true }))).toEqual({ text, strict: true });
  });

  it.each(['foo', '\\bfoo\\b', '\\b(?:a)|(?:b)\\b', '\\b(?:)\\b', '\\b(?:a\\)\\b', '\\b(?:[a)\\b'])(
    'is not what %s is',
    (stored) => expect(readPattern(stored)).toEqual({ text: stored, strict: false }),
  );
});

describe('slashes', () => {
  it('are those around a pattern, not those in it', () => {
    expect(['/foo/', '/foo/i', ' /a|b/ '].map(hasSlashes)).toEqual([true, true, true]);
    expect(['foo', '24/7', '/', 'a/'].map(hasSlashes)).toEqual([false, false, false, false]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { asLanguage, detectLanguage, rememberLanguage } from './language';

beforeEach(() => sessionStorage.clear());

describe('the language of a visit', () => {
  it('is the one in the address, before the preference of the browser', () => {
    expect(detectLanguage('?lng=en', ['fr-FR'])).toBe('en');
    expect(detectLanguage('?page=1&lng=fr', ['en'])).toBe('fr');
  });

  it('takes fr-FR for French', () => {
    expect(detectLanguage('?lng=fr-FR', ['en'])).toBe('fr');
    expect(asLanguage('FR')).toBe('fr');
    expect(detectLanguage('?lng=fr_FR', ['en'])).toBe('fr');
    expect(asLanguage('en_US')).toBe('en');
  });

  it('falls back to the browser for an unsupported language in the address', () => {
    expect(detectLanguage('?lng=xx', ['de', 'fr-CA'])).toBe('fr');
  });

  it('is remembered for addresses without one', () => {
    rememberLanguage('fr');
    expect(detectLanguage('', ['en'])).toBe('fr');
    expect(detectLanguage('?lng=en', ['fr'])).toBe('en');
  });

  it('is English without any supported language', () => {
    expect(detectLanguage('', ['de', 'ja'])).toBe('en');
    expect(detectLanguage('', [])).toBe('en');
  });
});

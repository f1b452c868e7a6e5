import { describe, expect, it } from 'vitest';
import { formatsOf } from './formats';

const THIN_SPACE = '\u202f';
const NO_BREAK = '\u00a0';
const en = formatsOf('en');
const fr = formatsOf('fr');

describe('formats', () => {
  it('separates thousands as the language does', () => {
    expect(en.count(1_234_567)).toBe('1,234,567');
    expect(fr.count(1_234_567)).toBe(`1${THIN_SPACE}234${THIN_SPACE}567`);
  });

  it('shows a tiny visibility as 0.01% and none as 0.00%', () => {
    expect(en.visibility(100 / 1_000_000)).toBe('0.01%');
    expect(en.visibility(0)).toBe('0.00%');
    expect(en.visibility(6.934)).toBe('6.93%');
    expect(fr.visibility(6.934)).toBe(`6,93${NO_BREAK}%`);
  });

  it('shows mean positions with four decimals', () => {
    expect(en.position(7 / 3)).toBe('2.3333');
    expect(fr.position(2)).toBe('2,0000');
  });

  it('signs changes', () => {
    expect(en.change(0.042)).toBe('+4.2%');
    expect(en.change(-0.25)).toBe('-25.0%');
    expect(en.change(0)).toBe('0.0%');
  });

  it('shows shares in whole percent, and small ones with one decimal', () => {
    expect(en.share(0.384)).toBe('38%');
    expect(en.share(0.004)).toBe('0.4%');
    expect(en.share(1.2)).toBe('120%');
    expect(fr.share(0.384)).toBe(`38${NO_BREAK}%`);
    expect(en.signed(1_240)).toBe('+1,240');
    expect(en.signed(0)).toBe('0');
  });

  it('writes dates as DD/MM/YYYY in both languages', () => {
    expect(en.date('2026-01-05T12:00:00')).toBe('05/01/2026');
    expect(fr.date('2026-01-05T12:00:00')).toBe('05/01/2026');
    expect(en.dateTime('2026-01-05T12:03:04')).toBe('05/01/2026 12:03:04');
  });

  it('reads the date texts of answers as the moments they name', () => {
    const moment = new Date(Date.UTC(2026, 0, 5, 12, 3, 4));
    for (const text of ['2026-01-05T12:03:04.000Z', '2026-01-05T12:03:04Z', '2026-01-05T13:03:04.000+01:00']) {
      expect(en.dateTime(text)).toBe(en.dateTime(moment));
      expect(en.date(text)).toBe(en.date(moment));
      expect(en.adMoment(text)).toBe(en.adMoment(moment));
      expect(en.ago(text, moment)).toBe('now');
    }
  });

  it('tells how long ago something was in the largest whole unit', () => {
    const now = new Date('2026-01-05T12:00:00Z');
    expect(en.ago('2026-01-05T11:59:30Z', now)).toBe('30 seconds ago');
    expect(en.ago('2026-01-05T11:58:01Z', now)).toBe('1 minute ago');
    expect(en.ago('2026-01-05T09:00:00Z', now)).toBe('3 hours ago');
    expect(fr.ago('2026-01-03T12:00:00Z', now)).toBe('avant-hier');
    expect(en.ago(now, now)).toBe('now');
  });

  it('makes the formats of a language once', () => {
    expect(formatsOf('en')).toBe(en);
  });

  it('writes the days of charts with the day first, in the words of the language', () => {
    expect(formatsOf('en').dayAndMonth('2026-10-23')).toBe('23 Oct');
    expect(formatsOf('fr').dayAndMonth('2026-02-03')).toBe('3 févr.');
  });
});

import { describe, expect, it } from 'vitest';
import type { Alert } from '~/api/queries/alerts';
import { bodyOf, daysOf, scheduleOf, unitsOf, valuesOf, wayOf } from './alertValues';
import { momentIn } from './words';

const STORED: Alert = {
  id: 4,
  brandId: 7,
  brand: 'Kelmora',
  enable: false,
  cron: '5 9 * * MON,THU',
  frequency: '7 days',
  startDate: '2026-03-02T08:00:00Z',
  hookTrigger: null,
  recipientIds: [3, 4],
  from: null,
  fromName: null,
  subject: 'Weekly',
  templateId: 12,
  withReport: true,
  nextSend: null,
  lastSend: null,
  owner: 3,
};

describe('the form of an alert', () => {
  it('knows the days and the time of a cron expression that has nothing else', () => {
    expect(daysOf('5 9 * * MON,THU')).toEqual({ days: ['MON', 'THU'], time: '09:05' });
    expect(daysOf('0 8 * * *')?.days).toHaveLength(7);
    for (const other of ['0 8 1 * *', '0 8 * * MON-FRI', '0 24 * * *', '60 8 * * *', '0 8 * * XYZ', '*/5 * * * *', ''])
      expect(daysOf(other), other).toBeUndefined();
  });

  it('knows frequencies as the server does', () => {
    expect(unitsOf('1 day')).toEqual({ count: 1, unit: 'days' });
    expect(unitsOf(' 12  HOURS ')).toEqual({ count: 12, unit: 'hours' });
    expect(unitsOf('often')).toBeUndefined();
  });

  it('keeps what is stored', () => {
    const values = valuesOf(STORED, { reader: 9 });
    expect(values).toMatchObject({ way: 'days', days: ['MON', 'THU'], time: '09:05', recipientIds: ['3', '4'] });
    expect(bodyOf(values)).toEqual({
      brandId: 7,
      enable: false,
      recipientIds: [3, 4],
      from: null,
      fromName: null,
      subject: 'Weekly',
      templateId: 12,
      withReport: true,
      hookTrigger: null,
      cron: '5 9 * * MON,THU',
    });
    expect(wayOf({ ...STORED, cron: '0 8 1 * *' })).toBe('cron');
    expect(wayOf({ ...STORED, cron: null })).toBe('every');
    expect(wayOf({ ...STORED, hookTrigger: 'action.new' })).toBe('event');
  });

  it('has no schedule while something is missing, nor after an event', () => {
    const values = valuesOf(undefined, { reader: 9, hook: 'action.reappearance' });
    expect(values).toMatchObject({ way: 'event', hookTrigger: 'action.reappearance', recipientIds: ['9'] });
    expect(scheduleOf(values)).toBeUndefined();
    expect(scheduleOf({ ...values, way: 'days', days: [] })).toBeUndefined();
    expect(scheduleOf({ ...values, way: 'every', frequency: '' })).toBeUndefined();
    expect(scheduleOf({ ...values, way: 'cron', cron: ' ' })).toBeUndefined();
    expect(scheduleOf({ ...values, way: 'days', days: ['SUN', 'MON'], time: '08:00' })).toEqual({
      cron: '0 8 * * MON,SUN',
    });
  });
});

it('says a moment on the clock of a zone', () => {
  expect(momentIn('2026-11-30T07:00:00Z', 'Europe/Paris', 'en')).toBe('Monday 30 November, 08:00');
  expect(momentIn('2026-11-30T07:00:00Z', 'Europe/Paris', 'fr')).toBe('lundi 30 novembre, 08:00');
});

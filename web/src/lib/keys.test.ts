import { afterEach, describe, expect, it, vi } from 'vitest';
import { areKeysOn, keyListener, switchKeys } from './keys';

afterEach(() => {
  localStorage.clear();
  document.body.replaceChildren();
});

const press = (key: string, at = 0, more: Partial<KeyboardEvent> = {}) =>
  ({
    key,
    timeStamp: at,
    target: document.body,
    preventDefault: vi.fn(),
    getModifierState: () => false,
    ...more,
  }) as unknown as KeyboardEvent;

describe('keys', () => {
  it('run what they stand for, outside fields and without modifiers', () => {
    const next = vi.fn();
    const listen = keyListener(
      () => ({ j: next }),
      () => true,
    );
    const field = document.body.appendChild(document.createElement('input'));
    for (const event of [
      press('k'),
      press('j', 0, { ctrlKey: true }),
      press('j', 0, { altKey: true }),
      press('j', 0, { metaKey: true }),
      press('j', 0, { target: field }),
    ])
      listen(event);
    expect(next).not.toHaveBeenCalled();
    const heard = press('j');
    listen(heard);
    expect(next).toHaveBeenCalledOnce();
    expect(heard.preventDefault).toHaveBeenCalledOnce();
    // A box is ticked by the space bar alone.
    field.type = 'checkbox';
    listen(press('j', 0, { target: field }));
    expect(next).toHaveBeenCalledTimes(2);
  });

  it('are taken from the letter that AltGr types', () => {
    const previous = vi.fn();
    const listen = keyListener(
      () => ({ '[': previous }),
      () => true,
    );
    const altGr = { ctrlKey: true, altKey: true, getModifierState: (name: string) => name === 'AltGraph' };
    listen(press('[', 0, { ...altGr, metaKey: true }));
    expect(previous).not.toHaveBeenCalled();
    listen(press('[', 0, altGr));
    expect(previous).toHaveBeenCalledOnce();
  });

  it('make a sequence of two within a second', () => {
    const [go, act] = [vi.fn(), vi.fn()];
    const listen = keyListener(
      () => ({ 'g a': go, a: act }),
      () => true,
    );
    listen(press('g', 0));
    listen(press('a', 900));
    expect(go).toHaveBeenCalledOnce();
    expect(act).not.toHaveBeenCalled();
    listen(press('g', 2_000));
    listen(press('a', 3_100));
    expect(go).toHaveBeenCalledOnce();
    expect(act).toHaveBeenCalledOnce();
  });

  it('do nothing once they are switched off, for that user', () => {
    const next = vi.fn();
    switchKeys(7, false);
    expect([areKeysOn(7), areKeysOn(8)]).toEqual([false, true]);
    keyListener(
      () => ({ j: next }),
      () => areKeysOn(7),
    )(press('j'));
    expect(next).not.toHaveBeenCalled();
    switchKeys(7, true);
    expect(areKeysOn(7)).toBe(true);
  });
});

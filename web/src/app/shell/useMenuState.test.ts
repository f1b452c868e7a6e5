import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useMenuState } from './useMenuState';

function openWindow(width: number) {
  Object.defineProperty(window, 'innerWidth', { value: width, configurable: true, writable: true });
  act(() => void window.dispatchEvent(new Event('resize')));
}

const menu = () => renderHook(() => useMenuState()).result;

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('the side menu', () => {
  it('is minimised in a window of 1440 px and open in one of 1441', () => {
    openWindow(1440);
    const result = menu();
    expect(result.current.pinned).toBe(false);
    openWindow(1441);
    expect(result.current.pinned).toBe(true);
  });

  it('opens after the pointer has rested on it for 300 ms, and closes when it leaves', () => {
    openWindow(1440);
    const result = menu();
    act(() => result.current.enter());
    act(() => void vi.advanceTimersByTime(299));
    expect(result.current.hovering).toBe(false);
    act(() => void vi.advanceTimersByTime(1));
    expect(result.current.hovering).toBe(true);
    act(() => result.current.leave());
    expect(result.current.hovering).toBe(false);
  });

  it('stays closed when the pointer only passes over it', () => {
    openWindow(1440);
    const result = menu();
    act(() => result.current.enter());
    act(() => void vi.advanceTimersByTime(200));
    act(() => result.current.leave());
    act(() => void vi.advanceTimersByTime(1_000));
    expect(result.current.hovering).toBe(false);
  });

  it('stays as it was pinned, in each kind of window by itself', () => {
    openWindow(1440);
    const first = menu();
    act(() => first.current.togglePin());
    expect(first.current.pinned).toBe(true);
    cleanup();
    expect(menu().current.pinned).toBe(true);
    openWindow(2000);
    const wide = menu();
    act(() => wide.current.togglePin());
    expect(wide.current.pinned).toBe(false);
    openWindow(1000);
    expect(menu().current.pinned).toBe(true);
  });
});

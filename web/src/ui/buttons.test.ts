import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useCopy } from './buttons';

const writeText = vi.fn<(text: string) => Promise<void>>();

beforeEach(() => {
  vi.useFakeTimers();
  writeText.mockReset().mockResolvedValue();
  vi.stubGlobal('navigator', { clipboard: { writeText } });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTime(milliseconds));

describe('copying', () => {
  it('is told of at once, for two seconds', async () => {
    const { result } = renderHook(useCopy);
    expect(result.current.state).toBe('idle');
    await act(() => result.current.copy('an address'));
    expect(writeText).toHaveBeenCalledWith('an address');
    expect(result.current.state).toBe('copied');
    pass(1_999);
    expect(result.current.state).toBe('copied');
    pass(1);
    expect(result.current.state).toBe('idle');
  });

  it('is told of anew when it is done again', async () => {
    const { result } = renderHook(useCopy);
    await act(() => result.current.copy('one'));
    pass(1_500);
    await act(() => result.current.copy('other'));
    pass(1_500);
    expect(result.current.state).toBe('copied');
    pass(500);
    expect(result.current.state).toBe('idle');
  });

  it('tells when it failed, for as long', async () => {
    writeText.mockRejectedValue(new Error('denied'));
    const { result } = renderHook(useCopy);
    await act(() => result.current.copy('an address'));
    expect(result.current.state).toBe('failed');
    pass(2_000);
    expect(result.current.state).toBe('idle');
  });
});

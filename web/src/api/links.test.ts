import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchPage } from './links';

const question = (page: number) => `cases?page=${page}`;
const { signal } = new AbortController();
const asked: string[] = [];

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal('window', { location: { origin: 'https://vigie.example' } });
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(request.url);
    return Response.json({ links: { prev: '/api/actions?cursor=a' } });
  });
});
afterEach(() => vi.unstubAllGlobals());

describe('turning pages', () => {
  it('follows the link that the page before told', async () => {
    const ask = vi.fn(async () => ({ links: { next: '/api/actions?cursor=b' } }));
    await fetchPage(1, question, ask, signal);
    await fetchPage(2, question, ask, signal);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(asked).toEqual(['https://vigie.example/api/actions?cursor=b']);
    await fetchPage(1, question, ask, signal);
    expect(asked.at(-1)).toBe('https://vigie.example/api/actions?cursor=a');
  });

  it('asks for a page that nobody told of', async () => {
    const ask = vi.fn(async () => ({ links: {} }));
    await fetchPage(7, question, ask, signal);
    expect(ask).toHaveBeenCalledTimes(1);
    expect(asked).toEqual([]);
  });
});

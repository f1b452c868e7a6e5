import { expect, it } from 'vitest';
import { type AsOf, answerAsOf, changedSince, ifSeen, seenOf } from './asOf';
import { ApiError, errorOf } from './errors';

const state = (text: string) => text as AsOf;

it('takes what all rows were seen in: the oldest state', () => {
  const rows = [{ asOf: state('1795000000000010-9:9:') }, { asOf: state('1795000000000002-9:9:') }, {}];
  expect(seenOf(rows)).toBe('1795000000000002-9:9:');
  expect(seenOf([{}, {}])).toBeUndefined();
  expect(ifSeen(undefined)).toEqual({});
  expect(ifSeen(state('7-1:1:'))).toEqual({ 'X-Seen-At': '7-1:1:' });
});

it('reads the state of an answer', async () => {
  const call = (headers: Record<string, string>) =>
    answerAsOf(Promise.resolve({ data: [1], response: new Response(null, { headers }) }));
  expect(await call({ 'X-As-Of': '7-1:1:' })).toEqual({ data: [1], asOf: '7-1:1:' });
  expect(await call({})).toEqual({ data: [1], asOf: undefined });
});

it('reads what somebody else changed, and nothing else', () => {
  const details = { context: 'Brand', changed: { count: 3, rows: [{ id: 7, name: 'Acme' }], asOf: '8-1:1:' } };
  const error = { code: 'CHANGED_SINCE_SEEN', details };
  const refused = errorOf(new Response(null, { status: 409 }), { error });
  expect(changedSince(refused)).toEqual({ model: 'Brand', count: 3, rows: [{ id: 7, name: 'Acme' }], asOf: '8-1:1:' });
  expect(changedSince(errorOf(new Response(null, { status: 409 }), { error: { code: 'IN_USE' } }))).toBeUndefined();
  expect(changedSince(new ApiError(409, 'CHANGED_SINCE_SEEN', 'x'))).toBeUndefined();
  expect(changedSince(new TypeError('x'))).toBeUndefined();
});

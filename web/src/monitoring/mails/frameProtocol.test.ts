import { describe, expect, it } from 'vitest';
import { asFrameMessage, asHostMessage } from './frameProtocol';

const data = {
  status: 'accepted',
  dates: { acceptedDate: '2025-10-05T10:00:00.000Z', blockedDate: null, broken: 7 },
  history: [{ ID: '4', status: 'accepted', date: '2025-10-05T10:00:00.000Z', previousDate: [] }, 'no entry'],
};

describe('a message of the frame', () => {
  it('reports the case, without what is no date and no entry', () => {
    expect(asFrameMessage({ type: 'status', data })).toEqual({
      type: 'status',
      data: {
        status: 'accepted',
        dates: { acceptedDate: '2025-10-05T10:00:00.000Z', blockedDate: null },
        history: [data.history[0]],
      },
    });
  });

  it.each([[{}], [{ type: 'status' }], [{ data: null }]])(
    'without data says that the lists are stale: %j',
    (message) => {
      expect(asFrameMessage(message)).toEqual({ type: 'stale' });
    },
  );

  it.each([
    [undefined],
    ['ready'],
    [{ type: 'status', data: { status: 7 } }],
    [{ type: 'other', data }],
    [{ type: 'key' }],
    [{ type: 'key', key: 'x'.repeat(11) }],
  ])('is none: %j', (message) => {
    expect(asFrameMessage(message)).toBeUndefined();
  });
});

describe('a message of the host', () => {
  it('is a ticket or a key', () => {
    expect(asHostMessage({ type: 'auth', userId: 3, token: 't' })).toEqual({ type: 'auth', userId: 3, token: 't' });
    expect(asHostMessage({ type: 'key', key: 'r' })).toEqual({ type: 'key', key: 'r' });
  });

  it.each([[null], [{ type: 'auth', userId: '3', token: 't' }], [{ type: 'auth', userId: 3 }], [{ type: 'ready' }]])(
    'is none: %j',
    (message) => {
      expect(asHostMessage(message)).toBeUndefined();
    },
  );
});

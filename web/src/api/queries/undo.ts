import { changedSince } from '../asOf';
import { answer, client } from '../client';

/** Names what several calls do together, so that it can be undone as one. */
export type Operation = string & { readonly kind: 'operation' };

const UUID_BYTES = 16;

/** A new name, a UUID: `crypto.randomUUID` is missing on pages without TLS. */
export function newOperation(): Operation {
  const bytes = crypto.getRandomValues(new Uint8Array(UUID_BYTES));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const parts = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/.exec(hex) ?? [];
  const [, time, mid, high, clock, node] = parts;
  return `${time}-${mid}-4${high}-8${clock}-${node}` as Operation;
}

/** The header that makes a call a part of an operation. */
export const partOf = (operation: Operation) => ({ 'X-Operation': operation });

/** Takes back what an operation changed, all of it or nothing. */
export const undoOperation = async (operation: Operation): Promise<void> =>
  void (await answer(client.POST('/api/Undo/{operation}', { params: { path: { operation } } })));

/**
 * Makes the calls of an operation one after the other. Where the server refuses one because somebody else changed the same, what those before it did is
 * undone: nothing has changed then.
 */
export async function allOrNone(operation: Operation, calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const [place, call] of calls.entries()) {
    try {
      await call();
    } catch (error) {
      if (place > 0 && changedSince(error)) await undoOperation(operation);
      throw error;
    }
  }
}

/** Browser storage that never throws: when it is full or disabled, reads return null and writes are dropped. */
const storage = (kind: 'local' | 'session') => {
  const area = (): Storage | undefined => {
    try {
      return kind === 'local' ? window.localStorage : window.sessionStorage;
    } catch {
      return undefined;
    }
  };
  return {
    get(key: string): string | null {
      return area()?.getItem(key) ?? null;
    },
    set(key: string, value: string): void {
      try {
        area()?.setItem(key, value);
      } catch {
        // Over quota: the setting is lost.
      }
    },
    remove(key: string): void {
      area()?.removeItem(key);
    },
    clear(): void {
      area()?.clear();
    },
  };
};

export const local = storage('local');
export const session = storage('session');

/** Parses JSON; undefined if it is invalid or the text is null. */
export function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

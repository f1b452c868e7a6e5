/** Browser storage that is full, switched off or private must never break a screen: reads give null, writes are dropped. */
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
        // Over quota: the setting is simply not remembered.
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

/** The value of a JSON text, or undefined when it is not one. */
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

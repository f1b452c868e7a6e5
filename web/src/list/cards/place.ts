/** The card that a reader left a page of a list by, and how far below the top of the window it was. */
export interface Place {
  id: string;
  top: number;
}

/** Places remembered at most; the oldest go first. */
const MOST = 20;

const places = new Map<string, Place>();

/** Where readers left the pages of lists, until the page is reloaded or the lists change. */
export const place = {
  get: (key: string): Place | undefined => places.get(key),
  set(key: string, left: Place): void {
    places.delete(key);
    places.set(key, left);
    const [oldest] = places.keys();
    if (places.size > MOST && oldest !== undefined) places.delete(oldest);
  },
  /** Forgets all of them: the rows will not be the same. */
  clear: (): void => places.clear(),
};

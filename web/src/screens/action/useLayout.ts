import { useSyncExternalStore } from 'react';

/** How the parts of a case lie: in three columns; in two below a strip; or one at a time behind tabs. */
export type Layout = 'columns' | 'strip' | 'tabs';

const wide = window.matchMedia('(min-width: 1440px)');
const medium = window.matchMedia('(min-width: 980px)');

const layout = (): Layout => (wide.matches ? 'columns' : medium.matches ? 'strip' : 'tabs');

const subscribe = (changed: () => void) => {
  wide.addEventListener('change', changed);
  medium.addEventListener('change', changed);
  return () => {
    wide.removeEventListener('change', changed);
    medium.removeEventListener('change', changed);
  };
};

/** The layout that the window has room for. */
export const useLayout = (): Layout => useSyncExternalStore(subscribe, layout);

import { type RefObject, useEffect, useRef } from 'react';

/** A mail counts as read when it was in sight for this long. */
const SEEN_MS = 1_000;

/** How much of it has to be in sight, or of the window or the thread where it is higher than those. */
const SEEN_SHARE = 0.6;

/** What scrolls the mails. */
const THREAD = '[data-thread]';

const STEPS = Array.from({ length: 21 }, (_, step) => step / 20);

/** Calls `onSeen` once when the element was in sight for a second without a break, while `enabled` (decision D178). */
export function useSeen(element: RefObject<HTMLElement | null>, enabled: boolean, onSeen: () => void): void {
  const latest = useRef(onSeen);
  latest.current = onSeen;
  useEffect(() => {
    const { current } = element;
    if (!enabled || !current) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let inSight = false;
    const update = () => {
      const counts = inSight && document.visibilityState === 'visible';
      if (!counts) {
        clearTimeout(timer);
        timer = undefined;
      } else timer ??= setTimeout(() => latest.current(), SEEN_MS);
    };
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { intersectionRatio, intersectionRect, rootBounds } of entries) {
          const scroller = current.closest(THREAD)?.clientHeight ?? Number.POSITIVE_INFINITY;
          const high = Math.min(rootBounds?.height ?? window.innerHeight, scroller);
          inSight = intersectionRatio >= SEEN_SHARE || intersectionRect.height >= SEEN_SHARE * high;
        }
        update();
      },
      { threshold: STEPS },
    );
    observer.observe(current);
    document.addEventListener('visibilitychange', update);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('visibilitychange', update);
    };
  }, [element, enabled]);
}

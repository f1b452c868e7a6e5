const BAR = '.ag-body-vertical-scroll-viewport';

/**
 * The table has a scrollbar of its own, which it moves along with its rows, and takes that for a scroll when the bar tells of it late, as under
 * load: it would throw a reader who has scrolled on back. The bar is heard while somebody is at it, and only then.
 */
export function ignoreScrollEchoes(table: HTMLElement): () => void {
  let held = false;
  const hold = ({ target }: Event) => {
    held = target instanceof Element && target.closest(BAR) !== null;
  };
  const release = () => {
    held = false;
  };
  const scrolled = (event: Event) => {
    const bar = event.target instanceof Element && event.target.matches(BAR) ? event.target : undefined;
    if (bar && !held && !bar.matches(':hover')) event.stopPropagation();
  };
  table.addEventListener('pointerdown', hold, true);
  window.addEventListener('pointerup', release, true);
  window.addEventListener('pointercancel', release, true);
  table.addEventListener('scroll', scrolled, true);
  return () => {
    table.removeEventListener('pointerdown', hold, true);
    window.removeEventListener('pointerup', release, true);
    window.removeEventListener('pointercancel', release, true);
    table.removeEventListener('scroll', scrolled, true);
  };
}

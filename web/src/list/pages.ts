/** Pages shown before and after the current one. */
const AROUND = 5;

/** How many pages a list has. */
export const pageCount = (total: number, perPage: number | 'all'): number =>
  perPage === 'all' ? 1 : Math.max(1, Math.ceil(total / perPage));

/** The numbers of the pages one can jump to. */
export function pageWindow(page: number, pages: number): number[] {
  const first = Math.max(1, page - AROUND);
  const last = Math.min(pages, page + AROUND);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

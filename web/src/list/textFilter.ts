/** The rows that contain every word of a text, whatever the case. */
export function matchingRows<Row>(rows: readonly Row[], text: string, rowText: (row: Row) => string): Row[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...rows];
  return rows.filter((row) => {
    const own = rowText(row).toLowerCase();
    return wanted.every((word) => own.includes(word));
  });
}

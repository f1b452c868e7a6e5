import { dayjs } from './dates';

/** The state of the monthly report, which its address holds. */
export type ReportSearch = {
  /** The id of a brand; all of them without. */
  brand?: number;
  /** `YYYY-MM`; the last one that is over without. */
  month?: string;
};

/** Reads the state of a report from an address; what it cannot read is left out, and a month that has not begun. */
export function readReportSearch({ brand, month }: Record<string, unknown>): ReportSearch {
  const id = Number(brand);
  const isMonth = /^\d{4}-(0[1-9]|1[0-2])$/.test(String(month)) && String(month) <= dayjs().format('YYYY-MM');
  return { ...(Number.isSafeInteger(id) && id > 0 && { brand: id }), ...(isMonth && { month: String(month) }) };
}

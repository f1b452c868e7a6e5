import type { ComparedOffer, ComparedProduct } from '~/api/queries/comparator';
import { dayjs } from '~/lib/dates';

/** Sellers that have a line in the chart; the others are in the table alone. */
export const LINES = 5;
/** How many days the brand's own price counts after it was last seen, as on the server. */
const OWN_PRICE_DAYS = 30;

/** The prices of one day: that of the brand itself, and those of the sellers in their order; undefined where none is known. */
export interface PricesOfDay {
  date: string;
  own: number | undefined;
  offers: (number | undefined)[];
}

/** The key of an offer among those of its product. */
export const offerKey = ({ domain, comparator }: ComparedOffer): string => `${domain} ${comparator}`;

/** The prices of a product by day, ascending, each day with the own price that counts then; days on which no price was seen are left out. */
export function pricesByDay({ ownDays, offers }: Pick<ComparedProduct, 'ownDays' | 'offers'>): PricesOfDay[] {
  const others = offers.slice(0, LINES).map(({ days }) => new Map(days.map(({ date, price }) => [date, price])));
  const dates = new Set([...ownDays.map(({ date }) => date), ...others.flatMap((days) => [...days.keys()])]);
  return [...dates].sort().map((date) => {
    const since = dayjs(date).subtract(OWN_PRICE_DAYS, 'day').format('YYYY-MM-DD');
    return {
      date,
      own: ownDays.findLast((day) => day.date <= date && day.date >= since)?.price,
      offers: others.map((days) => days.get(date)),
    };
  });
}

import { defaultBrand } from '~/api/queries/choices';
import { isAdmin, type Me } from '~/api/session';
import { type Dayjs, lastDays } from '~/lib/dates';
import { FIRST_PAGE, type ListSearch, type Where } from '~/lib/listSearch';
import { chosenCountries } from './filters';

/** The last 7 whole days, ordered by a column, most first. */
export const lastWeekBy = (order: string, now: Dayjs): ListSearch => ({
  page: FIRST_PAGE,
  perPage: 30,
  order,
  direction: 'DESC',
  filters: { date: { type: 'between', value: lastDays(7, now), preset: 'last7' } },
});

/** An administrator sees every brand: without one the first question would be the biggest of all. */
export async function withDefaultBrand(search: ListSearch, me: Me): Promise<ListSearch> {
  const onlyDates = Object.keys(search.filters).every((name) => name === 'date');
  if (!isAdmin(me) || !onlyDates) return search;
  const brand = await defaultBrand();
  if (!brand) return search;
  const brandID: Where = { type: 'inq', value: [brand.value], labels: [brand.label] };
  return { ...search, filters: { ...search.filters, brandID } };
}

/** Regions belong to countries: those of a country that is no longer chosen go with it. */
export function regionsWithCountries(previous: ListSearch, next: ListSearch): ListSearch {
  const before = chosenCountries(previous.filters);
  const after = chosenCountries(next.filters);
  if (!next.filters.region || before.every((country) => after.includes(country))) return next;
  const { region: _, ...filters } = next.filters;
  return { ...next, filters };
}

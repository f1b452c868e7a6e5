import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Filters, FoundOption, OptionSearch } from '../types';

/** Choices are asked for this long after the last key. */
export const SEARCH_DELAY_MS = 500;

/** The server's choices for a typed text. */
export function useFoundOptions(
  key: string,
  search: OptionSearch | undefined,
  text: string,
  filters: Filters,
): { options: FoundOption[]; loading: boolean; failed: boolean } {
  const [query] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  const { data, isFetching, isError } = useQuery({
    queryKey: ['options', key, query, filters.country?.value],
    queryFn: ({ signal }) => search?.(query, signal, filters) ?? [],
    enabled: search !== undefined,
    placeholderData: keepPreviousData,
  });
  return { options: data ? distinct(data) : [], loading: isFetching || query !== text.trim(), failed: isError };
}

/** Each value once: a value offered twice would be two choices that cannot be told apart. */
const distinct = (options: FoundOption[]): FoundOption[] => [
  ...new Map(options.map((option) => [option.value, option])).values(),
];

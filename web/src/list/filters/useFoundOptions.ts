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
  return { options: data ?? [], loading: isFetching || query !== text.trim(), failed: isError };
}

import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';

/** Debounce of a search. */
const SEARCH_DELAY_MS = 500;

/** Query key of found options. */
export const OPTIONS_KEY = ['options'] as const;

interface Option {
  value: string | number;
  label: string;
}

/** Finds the options that match a text. */
export type Search<Found extends Option> = (query: string, signal: AbortSignal) => Promise<Found[]>;

/**
 * The server's options for a typed text, after a debounce; the previous ones stay until they arrive. `key` is everything else the search depends
 * on. Without `search` there are none.
 */
export function useFoundOptions<Found extends Option>(
  key: readonly unknown[],
  search: Search<Found> | undefined,
  text: string,
): { options: Found[]; loading: boolean; failed: boolean } {
  const [query] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  const { data, isFetching, isError } = useQuery({
    queryKey: [...OPTIONS_KEY, ...key, query],
    queryFn: ({ signal }) => search?.(query, signal) ?? [],
    enabled: search !== undefined,
    placeholderData: keepPreviousData,
  });
  return { options: data ? distinct(data) : [], loading: isFetching || query !== text.trim(), failed: isError };
}

/** Drops duplicate values, which would look like two options. */
const distinct = <Found extends Option>(options: Found[]): Found[] => [
  ...new Map(options.map((option) => [option.value, option])).values(),
];

import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';

/** Choices are asked for this long after the last key. */
export const SEARCH_DELAY_MS = 500;

/** Where found choices are kept. */
export const OPTIONS_KEY = ['options'] as const;

interface Option {
  value: string | number;
  label: string;
}

/** Finds the choices that match a text. */
export type Search<Found extends Option> = (query: string, signal: AbortSignal) => Promise<Found[]>;

/** The server's choices for a typed text. `key` is all that the search depends on beside the text. */
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

/** Each value once: a value offered twice would be two choices that cannot be told apart. */
const distinct = <Found extends Option>(options: Found[]): Found[] => [
  ...new Map(options.map((option) => [option.value, option])).values(),
];

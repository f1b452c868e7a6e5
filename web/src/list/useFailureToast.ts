import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListSearch } from '~/lib/listSearch';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { sameAddress, toAddress, withPage } from './address';
import type { Describer } from './filters/kinds';
import type { AnyListDef } from './types';

/** Whether two states are pages of one list. */
const isOtherPage = (one: ListSearch, other: ListSearch): boolean =>
  one.page !== other.page && sameAddress(toAddress(withPage(one, other.page)), toAddress(other));

/** Tells of rows that could not be loaded, in the list's words or, where it says so of its pages, in those of the error. */
export function useFailureToast(
  { failure, tellsPageFailure }: AnyListDef,
  { own }: Describer,
  search: ListSearch,
  { error, isSuccess, isPlaceholderData }: { error: Error | null; isSuccess: boolean; isPlaceholderData: boolean },
): void {
  const common = useTranslation('common').t;
  const shown = useRef<ListSearch>(undefined);
  useEffect(() => {
    if (isSuccess && !isPlaceholderData) shown.current = search;
  }, [isSuccess, isPlaceholderData, search]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each failure is told once
  useEffect(() => {
    if (!error) return;
    const turned = tellsPageFailure && shown.current && isOtherPage(shown.current, search);
    toast.error(turned ? errorText(error, common) : own(failure));
  }, [error]);
}

import type { HomeSearch } from '~/lib/homeSearch';
import type { ListSearch } from '~/lib/listSearch';
import { Captures } from './Captures';
import { CasesPanel } from './CasesPanel';
import { CreativesPanel } from './CreativesPanel';
import { PresencePanel } from './PresencePanel';

interface Props {
  search: HomeSearch;
  /** The filters with the period. */
  filters: ListSearch['filters'];
}

/** The panels of the home page that most windows show only after scrolling: hours of presence, cases, headlines and captures. */
export function LowerPanels({ search, filters }: Props) {
  return (
    <>
      <PresencePanel filters={filters} />
      <CasesPanel search={search} filters={filters} />
      <CreativesPanel filters={filters} />
      <Captures />
    </>
  );
}

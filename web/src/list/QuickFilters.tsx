import { Loader, Popover, UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';

import { useTranslation } from 'react-i18next';
import type { Where } from '~/lib/listSearch';
import { lazyPart } from '~/ui/lazyPart';
import type { FilterEntry } from './entries';
import type { Describer } from './filters/kinds';
import styles from './QuickFilters.module.css';
import type { Filters } from './types';

const FilterField = lazyPart(() => import('./filters/FilterField').then((module) => module.FilterField), {
  waiting: <Loader size="sm" />,
});

interface Props {
  entries: readonly FilterEntry[];
  filters: Filters;
  words: Describer;
  onChange(name: string, where: Where | undefined): void;
}

/** Filters that stand outside the panel and apply at once. */
export function QuickFilters({ entries, filters, words, onChange }: Props) {
  const { t } = useTranslation('list');
  return (
    <fieldset className={styles.quick} aria-label={t('quick')}>
      {entries.map((entry) => (
        <Popover key={entry.name} position="bottom-start" trapFocus width="max-content">
          <Popover.Target>
            <UnstyledButton className={styles.button} data-active={entry.value ? true : undefined}>
              {entry.label}
              <IconChevronDown size={14} aria-hidden />
            </UnstyledButton>
          </Popover.Target>
          <Popover.Dropdown className={styles.dropdown}>
            <FilterField
              entry={entry}
              filters={filters}
              words={words}
              onChange={(where) => onChange(entry.name, where)}
            />
          </Popover.Dropdown>
        </Popover>
      ))}
    </fieldset>
  );
}

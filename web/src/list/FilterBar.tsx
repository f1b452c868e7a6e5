import { ActionIcon, Loader, Menu, Popover, UnstyledButton } from '@mantine/core';
import { IconArrowsUpDown, IconChevronDown, IconSortAscending, IconSortDescending, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Direction, ListSearch, Where } from '~/lib/listSearch';
import { lazyPart } from '~/ui/lazyPart';
import type { ColumnChoice } from './columns';
import type { FilterEntry } from './entries';
import styles from './FilterBar.module.css';
import type { ListTexts } from './filters/kinds';
import type { AnyListDef, Filters } from './types';

const FilterField = lazyPart(() => import('./filters/FilterField').then((module) => module.FilterField), {
  waiting: <Loader size="sm" />,
});

interface QuickFiltersProps {
  entries: readonly FilterEntry[];
  filters: Filters;
  texts: ListTexts;
  onChange(name: string, where: Where | undefined): void;
}

/** Filters outside the drawer, each a button that opens its field; a change applies at once (`onChange` with undefined removes the filter). */
export function QuickFilters({ entries, filters, texts, onChange }: QuickFiltersProps) {
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
              texts={texts}
              onChange={(where) => onChange(entry.name, where)}
            />
          </Popover.Dropdown>
        </Popover>
      ))}
    </fieldset>
  );
}

/** A sort order on offer; `text` is already translated. */
interface Order {
  order: string;
  text: string;
}

/** The sort orders of the menu: those of the list definition, and those of `columns`, which cards have no headings for. */
export function offeredOrders(
  def: AnyListDef,
  filters: Filters,
  texts: ListTexts,
  columns: ColumnChoice['columns'] | undefined,
): Order[] {
  const own = (def.sortMenu?.(filters) ?? []).map(({ order, label }) => ({ order, text: texts.own(label) }));
  const others = (columns ?? [])
    .filter(({ id }) => def.sorts.includes(id) && own.every(({ order }) => order !== id))
    .map(({ id, label }) => ({ order: id, text: label }));
  return [...own, ...others];
}

interface SortMenuProps {
  options: readonly Order[];
  search: ListSearch;
  onSort(order: string, direction: Direction): void;
  /** Given while the order is one that can be removed. */
  onRemove?: (() => void) | undefined;
}

const DIRECTIONS = [
  ['DESC', 'descending', IconSortDescending],
  ['ASC', 'ascending', IconSortAscending],
] as const;

/** A menu of the sort orders in `options`, each in both directions, and buttons that reverse and remove the current order. */
export function SortMenu({ options, search, onSort, onRemove }: SortMenuProps) {
  const { t } = useTranslation('list');
  const column = options.find(({ order }) => order === search.order)?.text;
  return (
    <div className={styles.quick}>
      <Menu position="bottom-start" width="max-content" classNames={{ dropdown: styles.menu ?? '' }}>
        <Menu.Target>
          <UnstyledButton className={styles.button}>
            {column ? t('sort.by', { column }) : t('sort.label')}
            <IconChevronDown size={14} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {options.flatMap(({ order, text }) =>
            DIRECTIONS.map(([direction, key, Icon]) => (
              <Menu.Item
                key={`${order} ${direction}`}
                leftSection={<Icon size={15} aria-hidden />}
                aria-current={order === search.order && direction === search.direction ? true : undefined}
                onClick={() => onSort(order, direction)}
              >
                <span className="sentence">{t(`sort.${key}`, { column: text })}</span>
              </Menu.Item>
            )),
          )}
        </Menu.Dropdown>
      </Menu>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={t('sort.revert')}
        onClick={() => onSort(search.order, search.direction === 'ASC' ? 'DESC' : 'ASC')}
      >
        <IconArrowsUpDown size={15} />
      </ActionIcon>
      {onRemove && (
        <ActionIcon variant="subtle" color="gray" size={28} aria-label={t('sort.remove')} onClick={onRemove}>
          <IconX size={15} />
        </ActionIcon>
      )}
    </div>
  );
}

interface AppliedStripProps {
  entries: readonly FilterEntry[];
  onRemove(name: string): void;
  onReset(): void;
}

/** The applied filters in words, each removable (`onRemove` gets its `name`), and a reset of all; renders nothing if `entries` is empty. */
export function AppliedStrip({ entries, onRemove, onReset }: AppliedStripProps) {
  const { t } = useTranslation('list');
  if (entries.length === 0) return null;
  return (
    <ul className={styles.strip} aria-label={t('applied')}>
      {entries.map(({ name, label, description }) => (
        <li key={name} className={styles.chip}>
          <span className={styles.label}>{label}</span>
          <span className={styles.value} title={description}>
            {description}
          </span>
          <UnstyledButton className={styles.remove} aria-label={t('remove', { label })} onClick={() => onRemove(name)}>
            <IconX size={14} />
          </UnstyledButton>
        </li>
      ))}
      <li>
        <UnstyledButton className={styles.reset} onClick={onReset}>
          <span className="sentence">{t('resetAll')}</span>
        </UnstyledButton>
      </li>
    </ul>
  );
}

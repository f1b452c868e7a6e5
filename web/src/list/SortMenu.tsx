import { ActionIcon, Menu, UnstyledButton } from '@mantine/core';
import { IconArrowsUpDown, IconChevronDown, IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Direction, ListSearch } from '~/lib/listSearch';
import type { Order } from './orders';
import styles from './QuickFilters.module.css';

interface Props {
  options: readonly Order[];
  search: ListSearch;
  onSort(order: string, direction: Direction): void;
}

const DIRECTIONS = [
  ['DESC', 'descending', IconSortDescending],
  ['ASC', 'ascending', IconSortAscending],
] as const;

/** The orders a list offers beside its columns, and a way to turn the present one round. */
export function SortMenu({ options, search, onSort }: Props) {
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
    </div>
  );
}

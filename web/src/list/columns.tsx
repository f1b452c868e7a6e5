import { ActionIcon, Button, Checkbox, Group, Popover, Stack, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconColumns3 } from '@tabler/icons-react';
import type { ColDef } from 'ag-grid-community';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '~/api/session';
import { isRecord, local, parseJson } from '~/lib/storage';
import { figureColumns } from './figures/cells';
import type { ListTexts } from './filters/kinds';
import type { AnyListDef, Filters } from './types';

/** Visibility, order and widths of the columns, as the user set them. */
export interface ColumnLayout {
  hidden: readonly string[];
  order: readonly string[];
  widths: Readonly<Record<string, number>>;
}

export interface ColumnChoice {
  /** All columns, in the user's order. */
  columns: readonly { id: string; label: string; shown: boolean }[];
  /** The same as grid columns. */
  colDefs: ColDef[];
  /** Columns left out, because they would be the same in every row under the current filters. */
  redundant: readonly string[];
  /** The current layout, as a saved view stores it. */
  layout: ColumnLayout;
  apply(layout: ColumnLayout): void;
  toggle(id: string): void;
  /** One place forward or back. */
  move(id: string, by: -1 | 1): void;
  arrange(layout: Pick<ColumnLayout, 'order' | 'widths'>): void;
  reset(): void;
}

const NONE: readonly string[] = [];

const AS_DEFINED: ColumnLayout = { hidden: [], order: [], widths: {} };

/** Reads a stored layout; parts that are missing or unreadable are empty, which leaves the columns as defined. */
export function parseLayout(stored: unknown): ColumnLayout {
  if (!isRecord(stored)) return AS_DEFINED;
  const ids = (value: unknown) => (Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []);
  const widths = isRecord(stored.widths) ? Object.entries(stored.widths) : [];
  return {
    hidden: ids(stored.hidden),
    order: ids(stored.order),
    widths: Object.fromEntries(widths.filter((entry): entry is [string, number] => typeof entry[1] === 'number')),
  };
}

/**
 * Copies column definitions in the order of a layout (columns it does not know go last, in their order), with its widths instead of `flex`, and
 * `hide` set.
 */
export function applyLayout<Row>(defs: ColDef<Row>[], { hidden, order, widths }: ColumnLayout): ColDef<Row>[] {
  const place = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
  return [...defs]
    .sort((one, other) => place(one.colId ?? '') - place(other.colId ?? ''))
    .map((def) => {
      const { flex, ...rest } = def;
      const id = def.colId ?? '';
      const width = widths[id];
      return { ...(width === undefined ? def : { ...rest, width }), hide: hidden.includes(id) };
    });
}

/** The columns of a list in the user's layout, without those redundant under the filters. Changes are kept in local storage, per user and list. */
export function useColumnChoice(def: AnyListDef, { own, fmt }: ListTexts, filters: Filters): ColumnChoice {
  const me = useMe();
  const key = `cols:v1:${me.id}:${def.path}`;
  // Joined, to compare by value: most filter changes leave the columns alone.
  const redundantKey = (def.redundant?.(filters, me) ?? NONE).join('\n');
  const [layout, setLayout] = useState(() => parseLayout(parseJson(local.get(key))));

  const store = useCallback(
    (next: ColumnLayout) => {
      local.set(key, JSON.stringify(next));
      setLayout(next);
    },
    [key],
  );

  return useMemo(() => {
    const redundant = redundantKey === '' ? NONE : redundantKey.split('\n');
    const defined = def.columns({ t: own, fmt }).filter(({ colId = '' }) => !redundant.includes(colId));
    const colDefs = applyLayout(def.figures ? [...defined, ...figureColumns({ t: own, fmt })] : defined, layout);
    const ids = colDefs.map(({ colId = '' }) => colId);
    return {
      redundant,
      layout,
      apply: store,
      colDefs,
      columns: colDefs.map((column) => ({
        id: column.colId ?? '',
        label: column.headerName ?? '',
        shown: column.hide !== true,
      })),
      toggle: (id) => {
        const hidden = layout.hidden.includes(id) ? layout.hidden.filter((one) => one !== id) : [...layout.hidden, id];
        store({ ...layout, hidden });
      },
      move: (id, by) => {
        const from = ids.indexOf(id);
        const order = ids.filter((one) => one !== id);
        order.splice(Math.max(0, from + by), 0, id);
        store({ ...layout, order });
      },
      arrange: (arranged) => store({ ...layout, ...arranged }),
      reset: () => store(AS_DEFINED),
    };
  }, [def, own, fmt, redundantKey, layout, store]);
}

/** A popover that shows, hides, reorders and resets columns; changes apply at once. The last visible column cannot be hidden. */
export function ColumnChooser({ choice }: { choice: ColumnChoice }) {
  const { t } = useTranslation('list');
  const shown = choice.columns.filter((column) => column.shown).length;
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Tooltip label={t('columns')}>
          <ActionIcon variant="default" size={36} aria-label={t('columns')}>
            <IconColumns3 size={18} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" role="group" aria-label={t('columns')}>
          {choice.columns.map((column, index) => (
            <Group key={column.id} gap={4} wrap="nowrap">
              <Checkbox
                style={{ flex: 1 }}
                label={<span className="sentence">{column.label}</span>}
                checked={column.shown}
                disabled={column.shown && shown === 1}
                onChange={() => choice.toggle(column.id)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                disabled={index === 0}
                aria-label={t('columnUp', { label: column.label })}
                onClick={() => choice.move(column.id, -1)}
              >
                <IconChevronUp size={14} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                disabled={index === choice.columns.length - 1}
                aria-label={t('columnDown', { label: column.label })}
                onClick={() => choice.move(column.id, 1)}
              >
                <IconChevronDown size={14} />
              </ActionIcon>
            </Group>
          ))}
          <Button variant="subtle" size="xs" onClick={choice.reset}>
            {t('columnsReset')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

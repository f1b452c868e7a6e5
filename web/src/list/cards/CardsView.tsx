import { Button, Checkbox } from '@mantine/core';
import {
  type FC,
  type MouseEvent,
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '~/api/session';
import type { ListSearch } from '~/lib/listSearch';
import { lazyPart } from '~/ui/lazyPart';
import { SelectAll, type Selection } from '../selection';
import type { ListDef, Tools } from '../types';
import styles from './CardsView.module.css';
import { place } from './place';
import { useKeys } from './useKeys';

const KeyHelp = lazyPart(() => import('./KeyHelp').then((module) => module.KeyHelp));

/** The keys of every list of cards. */
const KEYS = [
  [['j', 'k'], 'keys.move'],
  [['Enter', 'o'], 'keys.openRow'],
  [['x'], 'keys.select'],
  [['Shift', 'x'], 'keys.selectRange'],
  [['Esc'], 'keys.unselect'],
  [['[', ']'], 'keys.page'],
  [['/'], 'keys.search'],
  [['?'], 'keys.help'],
] as const;

/** Cards drawn at first, and with each further step. */
const STEP = 60;

/** What does something else by a click than opening the row. */
const CONTROLS = 'a, button, input, label';

interface Props<Row extends { id: string }, Meta> {
  def: ListDef<Row, Meta>;
  rows: readonly Row[];
  search: ListSearch;
  tools: Tools;
  /** Undefined when rows cannot be selected. */
  selection: Selection<Row> | undefined;
  /** Shows less of each row. */
  compact: boolean;
  /** Opens a neighbouring page; undefined where there is none. */
  onPage: { next: (() => void) | undefined; previous: (() => void) | undefined };
  helpOpen: boolean;
  onHelp(open: boolean): void;
}

/**
 * The rows of a list as cards at every width. The first link of a card opens its row. Keys move between cards, select, open and turn pages; who comes
 * back to the same page of the list finds the card they left, where it was.
 */
export function CardsView<Row extends { id: string }, Meta>(props: Props<Row, Meta>) {
  const { def, rows, search, tools, selection, compact, onPage, helpOpen, onHelp } = props;
  const me = useMe();
  const region = useRef<HTMLDivElement>(null);
  const { key, left } = usePlace(me.id, def.path, search, rows);
  const [current, setCurrent] = useState(left?.id);
  const [limit, setLimit] = useState(() => atLeast(rows, left?.id));
  const anchor = useRef<string>(undefined);
  const latest = useRef({ rows, current, selection });
  latest.current = { rows, current, selection };

  const cardOf = useCallback((id: string | undefined) => {
    const index = latest.current.rows.findIndex((row) => row.id === id);
    return index < 0 ? undefined : region.current?.querySelector<HTMLElement>(`[data-card="${index}"]`);
  }, []);

  // Before the page is shown, so that nothing jumps. A page that was only hidden while the next one loaded is shown again without being drawn again.
  useLayoutEffect(() => {
    const known = place.get(key);
    const card = cardOf(known?.id);
    if (!card || !known) return;
    card.querySelector('a')?.focus({ preventScroll: true });
    const scroller = region.current;
    const by = card.getBoundingClientRect().top - known.top;
    if (scroller && scroller.scrollHeight > scroller.clientHeight) scroller.scrollTop += by;
    else window.scrollBy(0, by);
  }, [cardOf, key]);

  const leaveAt = (id: string) => {
    setCurrent(id);
    place.set(key, { id, top: cardOf(id)?.getBoundingClientRect().top ?? 0 });
  };

  // What lies over the link, such as a date with its title, opens the row as well.
  const click = (id: string, { currentTarget, target, nativeEvent }: MouseEvent<HTMLElement>) => {
    leaveAt(id);
    if (!(target instanceof Element) || !currentTarget.contains(target) || target.closest(CONTROLS)) return;
    currentTarget.querySelector('a')?.dispatchEvent(new window.MouseEvent('click', nativeEvent));
  };

  const focus = (id: string | undefined) => {
    if (id === undefined) return;
    setCurrent(id);
    // The next key may come before the next drawing.
    latest.current.current = id;
    setLimit((most) => Math.max(most, atLeast(rows, id)));
    // The card may be drawn by this very step.
    requestAnimationFrame(() => {
      const link = cardOf(id)?.querySelector('a');
      link?.focus({ preventScroll: true });
      cardOf(id)?.scrollIntoView({ block: 'nearest' });
    });
  };

  const step = (by: 1 | -1) => {
    const at = rows.findIndex(({ id }) => id === latest.current.current);
    const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by));
    focus(rows[next]?.id);
  };

  const select = useCallback((id: string, range: boolean) => {
    const { rows: shown, selection: chosen } = latest.current;
    const row = shown.find((one) => one.id === id);
    if (!chosen || !row) return;
    const now = chosen.get();
    const from = shown.findIndex((one) => one.id === anchor.current);
    const to = shown.indexOf(row);
    if (range && from >= 0) {
      const between = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
      chosen.set([...now, ...between.filter((one) => !now.some((other) => other.id === one.id))]);
    } else {
      chosen.set(now.some((one) => one.id === id) ? now.filter((one) => one.id !== id) : [...now, row]);
    }
    anchor.current = id;
  }, []);

  useKeys(me.id, {
    j: () => step(1),
    k: () => step(-1),
    o: () => cardOf(latest.current.current)?.querySelector('a')?.click(),
    x: () => latest.current.current && select(latest.current.current, false),
    X: () => latest.current.current && select(latest.current.current, true),
    ']': () => onPage.next?.(),
    '[': () => onPage.previous?.(),
    Escape: () => selection?.set([]),
    '?': () => onHelp(true),
  });

  const Listen = def.keys?.listen;
  const target = useCallback((): readonly Row[] => {
    const { rows: shown, current: focused, selection: chosen } = latest.current;
    const selected = chosen?.get() ?? [];
    return selected.length > 0 ? selected : shown.filter(({ id }) => id === focused);
  }, []);
  const drawn = rows.slice(0, limit);
  const { cardHeads: Heads } = def;

  return (
    <div ref={region} className={styles.region}>
      <div className={styles.head}>
        {selection && <SelectAll rows={rows} selection={selection} bare />}
        {Heads && <Heads tools={tools} compact={compact} />}
      </div>
      <ul className={styles.cards} data-compact={compact || undefined}>
        {drawn.map((row, index) => (
          <li
            key={row.id}
            data-card={index}
            data-current={row.id === current || undefined}
            className={styles.card}
            onClickCapture={(event) => click(row.id, event)}
            onFocusCapture={() => row.id !== current && setCurrent(row.id)}
          >
            <Content
              row={row}
              card={def.card}
              tools={tools}
              compact={compact}
              name={def.rowName(row)}
              selection={selection}
              onSelect={select}
            />
          </li>
        ))}
      </ul>
      {rows.length > limit && <More count={rows.length - limit} onMore={() => setLimit(limit + STEP)} />}
      {Listen && <Listen target={target} onDone={() => selection?.set([])} />}
      {helpOpen && <Help acts={def.keys?.help ?? []} tools={tools} onClose={() => onHelp(false)} />}
    </div>
  );
}

interface HelpProps {
  /** What the list's own keys do: their letters, by spaces, and a text key. */
  acts: readonly (readonly [string, string])[];
  tools: Tools;
  onClose(): void;
}

/** What the keys of this list do. */
function Help({ acts, tools, onClose }: HelpProps) {
  const { t } = useTranslation('list');
  const entries = [
    ...KEYS.map(([keys, label]) => ({ keys, label: t(label) })),
    ...acts.map(([keys, label]) => ({ keys: keys.split(' '), label: tools.t(label) })),
  ];
  return <KeyHelp entries={entries} onClose={onClose} />;
}

/** How many cards to draw so that a row is among them. */
const atLeast = (rows: readonly { id: string }[], id: string | undefined): number =>
  Math.max(STEP, rows.findIndex((row) => row.id === id) + 1);

/** Where the reader left this page of the list, if they did; `left` stays the same until another page is shown. */
function usePlace(userId: number, path: string, search: ListSearch, rows: readonly { id: string }[]) {
  const key = `${userId} ${path} ${JSON.stringify(search)}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that are loaded again leave the reader where they are
  const left = useMemo(() => {
    const known = place.get(key);
    return rows.some(({ id }) => id === known?.id) ? known : undefined;
  }, [key]);
  return { key, left };
}

interface ContentProps<Row> {
  row: Row;
  card: FC<{ row: Row; tools: Tools; compact?: boolean }>;
  tools: Tools;
  compact: boolean;
  name: string;
  selection: Selection<Row> | undefined;
  onSelect(id: string, range: boolean): void;
}

/** A card and its box; drawn again only when its own row changes. */
const Content = memo(function Content<Row extends { id: string }>(props: ContentProps<Row>) {
  const { row, card: Card, tools, compact, name, selection, onSelect } = props;
  return (
    <>
      {selection && <Box id={row.id} name={name} selection={selection} onSelect={onSelect} />}
      <Card row={row} tools={tools} compact={compact} />
    </>
  );
}) as <Row extends { id: string }>(props: ContentProps<Row>) => React.ReactNode;

interface BoxProps<Row> {
  id: string;
  name: string;
  selection: Selection<Row>;
  onSelect(id: string, range: boolean): void;
}

/** The checkbox of a card; with Shift it selects all from the last one on. */
function Box<Row extends { id: string }>({ id, name, selection, onSelect }: BoxProps<Row>) {
  const { t } = useTranslation('list');
  const isSelected = () => selection.get().some((row) => row.id === id);
  const checked = useSyncExternalStore(selection.subscribe, isSelected);
  return (
    <Checkbox
      className={styles.box}
      size="sm"
      aria-label={t('selectRow', { name })}
      checked={checked}
      onChange={({ nativeEvent }) => onSelect(id, nativeEvent instanceof window.MouseEvent && nativeEvent.shiftKey)}
    />
  );
}

/** A button that draws more cards, and does so by itself when it comes near the window. */
function More({ count, onMore }: { count: number; onMore(): void }) {
  const { t } = useTranslation('list');
  const button = useRef<HTMLButtonElement>(null);
  const more = useRef(onMore);
  more.current = onMore;
  useEffect(() => {
    const near = new IntersectionObserver(([entry]) => entry?.isIntersecting && more.current(), {
      rootMargin: '600px',
    });
    if (button.current) near.observe(button.current);
    return () => near.disconnect();
  });
  return (
    <Button ref={button} className={styles.more} variant="default" onClick={onMore}>
      {t('more', { count })}
    </Button>
  );
}

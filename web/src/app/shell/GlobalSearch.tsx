import { Loader, Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconBadgeTm,
  IconListDetails,
  IconMessage2,
  IconSearch,
  IconUser,
  IconWorld,
  type Icon as TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Found, globalSearchQuery, SHORTEST } from '~/api/queries/globalSearch';
import { dashboardAccessQuery } from '~/api/queries/home';
import { dayjs, lastDays } from '~/lib/dates';
import type { Where } from '~/lib/listSearch';
import { useFormats } from '~/ui/useFormats';
import { useReturnFocus } from '~/ui/useReturnFocus';
import styles from './GlobalSearch.module.css';

const TYPING_MS = 120;
/** Days of the lists that are opened: those that domains are looked for in. */
const DAYS = 90;

type Kind = keyof Found;

/** Something found: what is shown of it, and where it leads. */
interface Hit {
  key: string;
  name: string;
  note: string;
  open(): void;
}

interface Group {
  kind: Kind;
  Icon: TablerIcon;
  hits: Hit[];
}

const is = (value: string | number, label?: string): Where => ({
  type: 'inq',
  value: [value],
  ...(label !== undefined && { labels: [label] }),
});

/**
 * The search for domains, terms, brands, cases and (for administrators) users in a window: arrow keys move over what was found, Enter opens it, and Escape
 * closes the window.
 */
export function GlobalSearch({ onClose }: { onClose(): void }) {
  useReturnFocus();
  const { t } = useTranslation('search');
  const id = useId();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const [asked] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data, isFetching, isError, isPlaceholderData } = useQuery(globalSearchQuery(asked));
  const groups = useGroups(asked.length >= SHORTEST ? data : undefined, onClose);
  const hits = groups.flatMap((group) => group.hits);
  const current = hits[Math.min(place, hits.length - 1)];
  // Until then the hits are those of an earlier text.
  const isFound = asked === text.trim() && !isPlaceholderData;
  const option = (key: string) => `${id}-${key}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      const next = (Math.min(place, hits.length - 1) + step + hits.length) % hits.length;
      setPlace(next);
      document.getElementById(option(hits[next]?.key ?? ''))?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && current) {
      event.preventDefault();
      if (isFound) current.open();
    }
  };
  return (
    <Modal.Root opened onClose={onClose} size={640} padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label={t('title')}>
        <Modal.Body>
          <TextInput
            data-autofocus
            size="md"
            variant="unstyled"
            className={styles.input ?? ''}
            leftSection={<IconSearch size={18} aria-hidden />}
            rightSection={isFetching ? <Loader size="xs" /> : undefined}
            placeholder={t('placeholder')}
            aria-label={t('title')}
            role="combobox"
            aria-expanded={hits.length > 0}
            aria-controls={`${id}-found`}
            aria-activedescendant={current && option(current.key)}
            value={text}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              setPlace(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div id={`${id}-found`} role="listbox" aria-label={t('found')} className={styles.found}>
            {groups.map(({ kind, Icon, hits: ofKind }) => (
              // biome-ignore lint/a11y/useSemanticElements: options of a list box are grouped by role
              <div key={kind} role="group" aria-labelledby={`${id}-${kind}`}>
                <div id={`${id}-${kind}`} className={styles.kind}>
                  {t(`kind.${kind}`)}
                </div>
                {ofKind.map((hit) => (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys of its list
                  <div
                    key={hit.key}
                    id={option(hit.key)}
                    role="option"
                    tabIndex={-1}
                    aria-selected={hit === current}
                    className={styles.hit}
                    onClick={hit.open}
                  >
                    <Icon size={16} aria-hidden />
                    <span className={styles.name}>{hit.name}</span>
                    <span className={styles.note}>{hit.note}</span>
                  </div>
                ))}
              </div>
            ))}
          </div>
          <p className={styles.state} role="status">
            {isError
              ? t('failed')
              : asked.length < SHORTEST
                ? t('hint')
                : data && !isFetching && hits.length === 0
                  ? t('nothing', { text: asked })
                  : hits.length > 0 && t('keys')}
          </p>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** What was found, by kind, each leading to its list or page; kinds without a hit are left out. */
function useGroups(found: Found | undefined, onClose: () => void): Group[] {
  const { t } = useTranslation(['search', 'market', 'advertisers']);
  const fmt = useFormats();
  const navigate = useNavigate();
  // A dashboard from elsewhere does not know our brands.
  const isFramed = Boolean(useQuery(dashboardAccessQuery).data);
  if (!found) return [];
  const go = (open: () => unknown) => () => {
    onClose();
    void open();
  };
  const date: Where = { type: 'between', value: lastDays(DAYS, dayjs()) };
  const engine = (name: string | null | undefined) => name && t(`market:engine.${name}`, { defaultValue: name });
  const joined = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' · ');
  const groups: Group[] = [
    {
      kind: 'domains',
      Icon: IconWorld,
      hits: found.domains.map(({ domain, views }) => ({
        key: `domain-${domain}`,
        name: domain,
        note: t('search:views', { count: views }),
        open: go(() => navigate({ to: '/domains', search: { date, domain: is(domain) } })),
      })),
    },
    {
      kind: 'terms',
      Icon: IconListDetails,
      hits: found.terms.map((term) => ({
        key: `term-${term.id}`,
        name: term.words,
        note: joined(term.brand, engine(term.engine), term.country && fmt.country(term.country)),
        open: go(() =>
          navigate({
            to: '/terms',
            search: {
              date,
              keywordContent: is(term.words),
              ...(term.engine && { engine: is(term.engine) }),
              ...(term.country && { country: is(term.country) }),
            },
          }),
        ),
      })),
    },
    {
      kind: 'brands',
      Icon: IconBadgeTm,
      hits: found.brands.map((brand) => ({
        key: `brand-${brand.id}`,
        name: brand.label,
        note: '',
        open: go(() => {
          const brandID = is(brand.id, brand.label);
          return isFramed
            ? navigate({ to: '/domains', search: { date, brandID } })
            : navigate({ to: '/', search: { brandID } });
        }),
      })),
    },
    {
      kind: 'cases',
      Icon: IconMessage2,
      hits: found.cases.map((one) => ({
        key: `case-${one.id}`,
        name: one.domain,
        note: joined(
          one.brand,
          one.country && fmt.country(one.country),
          engine(one.engine),
          t(`advertisers:status.${one.status}`, { defaultValue: one.status }),
        ),
        open: go(() => navigate({ to: '/action/$id', params: { id: String(one.id) } })),
      })),
    },
    {
      kind: 'users',
      Icon: IconUser,
      hits: found.users.map((user) => ({
        key: `user-${user.id}`,
        name: user.name || user.email,
        note: user.name && user.email,
        open: go(() => navigate({ to: '/users/$id', params: { id: String(user.id) } })),
      })),
    },
  ];
  return groups.filter(({ hits }) => hits.length > 0);
}

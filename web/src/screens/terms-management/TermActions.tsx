import { Button, Menu } from '@mantine/core';
import {
  IconAdjustmentsHorizontal,
  IconArchive,
  IconBadgeTm,
  IconBuilding,
  IconCamera,
  IconChevronDown,
  IconClock,
  IconHistory,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  changeTerms,
  type SettingTermRow,
  settingTermsKey,
  showChange,
  TERM_STATES,
  type TermState,
} from '~/api/queries/settingTerms';
import type { BulkProps } from '~/list/types';
import { RowMenu } from '~/ui/buttons';
import { KeptTheirs, unlessChanged } from '~/ui/conflict';
import { errorText } from '~/ui/errorText';
import { lazyPart } from '~/ui/lazyPart';
import { toast } from '~/ui/toast';
import { offerUndo } from '~/ui/undo';
import styles from './SettingTerms.module.css';
import type { TermChange } from './terms';
import { useRunNow, useSynchronization } from './useTermCalls';

const TrailDrawer = lazyPart(() => import('~/monitoring/history/TrailDrawer').then((module) => module.TrailDrawer));
const TermModal = lazyPart(() => import('./TermModals').then((module) => module.TermModal));

/** What is changed in a modal, in the order of menus. */
const CHANGES = [
  { change: 'frequency', text: 'frequency', Icon: IconClock },
  { change: 'options', text: 'options', Icon: IconAdjustmentsHorizontal },
  { change: 'brand', text: 'brandAndType', Icon: IconBadgeTm },
  { change: 'access', text: 'access', Icon: IconBuilding },
] as const;

export const STATE_ICONS = { enabled: IconPlayerPlay, disabled: IconPlayerPause, archived: IconArchive };

/** Changes the state of a term. */
function useStateChange(row: SettingTermRow) {
  const { t } = useTranslation('settingTerms');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (state: TermState) => unlessChanged(row.asOf, (seen) => changeTerms({ rows: [row] }, { state }, seen)),
    onSuccess: async (operation, state) => {
      toast.success(t('updateDone'));
      offerUndo({ operation, text: t('did.changed', { count: 1 }), changes: [settingTermsKey] });
      await showChange(queries, { rows: [row] }, { state });
    },
    onError: (error) => {
      if (!(error instanceof KeptTheirs)) toast.error(errorText(error, common));
    },
  });
}

/** The menu of a term; it leaves out the state that the term has. */
export function TermMenu({ row }: { row: SettingTermRow }) {
  const { t } = useTranslation('settingTerms');
  const common = useTranslation('common').t;
  const [open, setOpen] = useState<TermChange>();
  const [trail, setTrail] = useState(false);
  const { mutate, isPending } = useStateChange(row);
  const run = useRunNow([row]);
  const synchronization = useSynchronization();
  return (
    <>
      <RowMenu label={t('menu', { term: row.term })}>
        {TERM_STATES.filter((state) => state !== row.state).map((state) => {
          const Icon = STATE_ICONS[state];
          return (
            <Menu.Item key={state} leftSection={<Icon size={16} />} disabled={isPending} onClick={() => mutate(state)}>
              <span className="sentence">{t(`act.${state}`)}</span>
            </Menu.Item>
          );
        })}
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconCamera size={16} />}
          disabled={run.isPending || row.state !== 'enabled'}
          onClick={() => run.mutate()}
        >
          {t('run.act')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconRefresh size={16} />}
          disabled={synchronization.isPending}
          onClick={() => synchronization.mutate({ terms: [row.termId] })}
        >
          {t('sync.act')}
        </Menu.Item>
        <Menu.Divider />
        {CHANGES.map(({ change, text, Icon }) => (
          <Menu.Item key={change} leftSection={<Icon size={16} />} onClick={() => setOpen(change)}>
            {t(text)}
          </Menu.Item>
        ))}
        <Menu.Item leftSection={<IconHistory size={16} />} onClick={() => setTrail(true)}>
          {common('trail')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash size={16} />} c="var(--bad)" onClick={() => setOpen('delete')}>
          {t('delete')}
        </Menu.Item>
      </RowMenu>
      {open && <TermModal change={open} rows={[row]} onClose={() => setOpen(undefined)} />}
      {trail && <TrailDrawer model="Term" id={row.termId} name={row.term} onClose={() => setTrail(false)} />}
    </>
  );
}

/** The frequency of a term, as a button that opens it for editing. */
export function FrequencyButton({ row, text }: { row: SettingTermRow; text: string }) {
  const { t } = useTranslation('settingTerms');
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={styles.frequency}
        title={t('frequencyOf', { term: row.term })}
        onClick={() => setOpen(true)}
      >
        <span>{text}</span>
        <IconChevronDown size={14} aria-hidden />
      </button>
      {open && <TermModal change="frequency" rows={[row]} onClose={() => setOpen(false)} />}
    </>
  );
}

interface Props extends BulkProps<SettingTermRow> {
  /** Buttons before the last one. */
  children: ReactNode;
}

/** Buttons for all selected terms. Each change opens a modal first, which says what it does to how many. */
export function BulkActions({ rows, whole, onDone, children }: Props) {
  const { t } = useTranslation('settingTerms');
  const [open, setOpen] = useState<TermChange>();
  const run = useRunNow(rows, onDone);
  const synchronization = useSynchronization();
  return (
    <>
      {TERM_STATES.map((state) => (
        <Button
          key={state}
          size="compact-sm"
          variant="default"
          disabled={!whole && rows.every((row) => row.state === state)}
          onClick={() => setOpen(state)}
        >
          <span className="sentence">{t(`act.${state}`)}</span>
        </Button>
      ))}
      {!whole && (
        <>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconCamera size={14} aria-hidden />}
            disabled={rows.every((row) => row.state !== 'enabled')}
            loading={run.isPending}
            onClick={() => run.mutate()}
          >
            {t('run.act')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={synchronization.isPending}
            onClick={() => synchronization.mutate({ terms: rows.map(({ termId }) => termId) })}
          >
            {t('sync.act')}
          </Button>
        </>
      )}
      {CHANGES.filter(({ change }) => !whole || change !== 'access').map(({ change, text, Icon }) => (
        <Button
          key={change}
          size="compact-sm"
          variant="default"
          leftSection={<Icon size={14} aria-hidden />}
          onClick={() => setOpen(change)}
        >
          {t(text)}
        </Button>
      ))}
      {!whole && children}
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        leftSection={<IconTrash size={14} aria-hidden />}
        onClick={() => setOpen('delete')}
      >
        {t('delete')}
      </Button>
      {open && (
        <TermModal
          change={open}
          rows={rows}
          whole={whole}
          onClose={(changed) => {
            setOpen(undefined);
            if (changed) onDone();
          }}
        />
      )}
    </>
  );
}

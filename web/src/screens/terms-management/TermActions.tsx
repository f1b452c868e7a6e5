import { Button, Menu } from '@mantine/core';
import {
  IconAdjustmentsHorizontal,
  IconArchive,
  IconBadgeTm,
  IconBuilding,
  IconChevronDown,
  IconClock,
  IconPlayerPause,
  IconPlayerPlay,
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
import { RowMenu } from '~/ui/buttons';
import { errorText } from '~/ui/errorText';
import { lazyPart } from '~/ui/lazyPart';
import { toast } from '~/ui/toast';
import { offerUndo } from '~/ui/undo';
import styles from './SettingTerms.module.css';
import type { TermChange } from './terms';

const TermModal = lazyPart(() => import('./TermModals').then((module) => module.TermModal));

/** What is changed in a modal, in the order of menus. */
const CHANGES = [
  { change: 'frequency', text: 'frequency', Icon: IconClock },
  { change: 'options', text: 'options', Icon: IconAdjustmentsHorizontal },
  { change: 'brand', text: 'brandAndType', Icon: IconBadgeTm },
  { change: 'access', text: 'access', Icon: IconBuilding },
] as const;

export const STATE_ICONS = { enabled: IconPlayerPlay, disabled: IconPlayerPause, archived: IconArchive };

/** Changes the state of terms. */
function useStateChange(rows: readonly SettingTermRow[], onDone?: () => void) {
  const { t } = useTranslation('settingTerms');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (state: TermState) => changeTerms(rows, { state }),
    onSuccess: async (operation, state) => {
      toast.success(t('updateDone'));
      offerUndo({ operation, text: t('did.changed', { count: rows.length }), changes: [settingTermsKey] });
      onDone?.();
      await showChange(queries, rows, { state });
    },
    onError: (error) => toast.error(errorText(error, common)),
  });
}

/** The menu of a term; it leaves out the state that the term has. */
export function TermMenu({ row }: { row: SettingTermRow }) {
  const { t } = useTranslation('settingTerms');
  const [open, setOpen] = useState<TermChange>();
  const { mutate, isPending } = useStateChange([row]);
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
        {CHANGES.map(({ change, text, Icon }) => (
          <Menu.Item key={change} leftSection={<Icon size={16} />} onClick={() => setOpen(change)}>
            {t(text)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash size={16} />} c="var(--bad)" onClick={() => setOpen('delete')}>
          {t('delete')}
        </Menu.Item>
      </RowMenu>
      {open && <TermModal change={open} rows={[row]} onClose={() => setOpen(undefined)} />}
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

interface BulkProps {
  rows: readonly SettingTermRow[];
  onDone(): void;
  /** Buttons before the last one. */
  children: ReactNode;
}

/** Buttons for all selected terms. */
export function BulkActions({ rows, onDone, children }: BulkProps) {
  const { t } = useTranslation('settingTerms');
  const [open, setOpen] = useState<TermChange>();
  const { mutate, isPending, variables } = useStateChange(rows, onDone);
  return (
    <>
      {TERM_STATES.map((state) => (
        <Button
          key={state}
          size="compact-sm"
          variant="default"
          disabled={isPending || rows.every((row) => row.state === state)}
          loading={isPending && variables === state}
          onClick={() => mutate(state)}
        >
          <span className="sentence">{t(`act.${state}`)}</span>
        </Button>
      ))}
      {CHANGES.map(({ change, text, Icon }) => (
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
      {children}
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
          onClose={(changed) => {
            setOpen(undefined);
            if (changed) onDone();
          }}
        />
      )}
    </>
  );
}

import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDotsVertical, IconQuestionMark } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { isStaff, useMe } from '~/api/session';
import { Hint } from '~/ui/buttons';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Action.module.css';
import { AskPopover } from './AskPopover';
import { ACTS, type Act, type ActName, type AskedAct, type Opened, TAKEN_BACK_BY } from './acts';
import { useChange } from './useChange';

/** Acts that are buttons as well as entries of the menu. */
const MOST_BUTTONS = 2;

/** The acts that the server offers for a case, in order. */
export const offeredActs = (row: CaseRow): readonly Act[] => ACTS.filter(({ link }) => row.links[link] !== undefined);

/** Begins an act: opens its confirmation, or makes the change at once. */
export function useBegin(row: CaseRow, onOpen: (opened: Opened) => void) {
  const { t } = useTranslation('actions');
  const common = useTranslation('common').t;
  const change = useChange(row);
  const { mutate, isPending } = useMutation({
    mutationFn: async ({ act, link }: Act) => {
      const offered = row.links[link];
      if (offered) await change({ link: offered, done: t('statusOk'), takenBackBy: TAKEN_BACK_BY[act] });
    },
    onError: (error) => toast.error(t('statusFailed'), errorText(error, common)),
  });
  const begin = (name: ActName) => {
    const act = offeredActs(row).find((one) => one.act === name);
    if (!act || isPending) return;
    if (act.asks) onOpen(act.act);
    else mutate(act);
  };
  return { begin, isPending };
}

interface Props {
  row: CaseRow;
  opened: Opened | undefined;
  onOpen(opened: Opened | undefined): void;
  /** How many are buttons, too. */
  buttons?: number;
}

/** What the server offers for a case: a menu of all of it, the first also as buttons; staff can ask why something is missing. */
export function CaseActs({ row, opened, onOpen, buttons: most = MOST_BUTTONS }: Props) {
  const { t } = useTranslation(['action', 'actions']);
  const staff = isStaff(useMe());
  const { begin, isPending } = useBegin(row, onOpen);
  const offered = offeredActs(row);
  const buttons = offered.slice(0, most);
  const asked = offered.find(({ act, asks }) => asks && act === opened)?.act as AskedAct | undefined;
  const isButton = buttons.some(({ act }) => act === asked);
  const close = () => onOpen(undefined);
  return (
    <div className={styles.acts}>
      {buttons.map(({ act, key, Icon }) => {
        const label = t(`actions:act.${act}`);
        return (
          <AskPopover key={act} row={row} act={act === asked ? asked : undefined} onClose={close}>
            <Hint label={key ? `${label} (${key})` : label}>
              <Button
                variant="default"
                leftSection={<Icon size={16} aria-hidden />}
                aria-keyshortcuts={key}
                disabled={isPending}
                onClick={() => begin(act)}
              >
                <span className="sentence">{label}</span>
              </Button>
            </Hint>
          </AskPopover>
        );
      })}
      <AskPopover row={row} act={isButton ? undefined : asked} onClose={close}>
        <Menu position="bottom-end" width="max-content">
          <Menu.Target>
            <ActionIcon className={styles.more} variant="default" size={36} aria-label={t('menu')}>
              <IconDotsVertical size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {offered.length === 0 && <Menu.Label>{t('none')}</Menu.Label>}
            {offered.map(({ act, key, Icon }) => (
              <Menu.Item
                key={act}
                leftSection={<Icon size={16} />}
                rightSection={key && <kbd className={styles.key}>{key}</kbd>}
                aria-keyshortcuts={key}
                disabled={isPending}
                onClick={() => begin(act)}
              >
                <span className="sentence">{t(`actions:act.${act}`)}</span>
              </Menu.Item>
            ))}
            {staff && offered.length < ACTS.length && (
              <>
                <Menu.Divider />
                <Menu.Item leftSection={<IconQuestionMark size={16} />} onClick={() => onOpen('reasons')}>
                  {t('reasons.open')}
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      </AskPopover>
    </div>
  );
}

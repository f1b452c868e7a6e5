import { Kbd, Modal, Switch } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '~/api/session';
import { areKeysOn, switchKeys } from '~/lib/keys';
import { useReturnFocus } from '~/ui/useReturnFocus';
import type { Tools } from '../types';
import styles from './CardsView.module.css';

/** The keys of every list of cards: several for one purpose are one entry. */
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

interface Props {
  /** What the list's own keys do: their letters, by spaces, and a text key. */
  acts: readonly (readonly [string, string])[];
  tools: Tools;
  onClose(): void;
}

/** What each key does, and a switch that turns single keys off for this user. */
export function KeyHelp({ acts, tools, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation(['list', 'common']);
  const me = useMe();
  const [on, setOn] = useState(() => areKeysOn(me.id));
  const entries = [
    ...KEYS.map(([keys, label]) => ({ keys: [...keys], label: t(label) })),
    ...acts.map(([keys, label]) => ({ keys: keys.split(' '), label: tools.t(label) })),
  ];
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('keys.title')}
      centered
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <Switch
        label={t('keys.on')}
        description={t('keys.onHint')}
        checked={on}
        onChange={({ currentTarget }) => {
          switchKeys(me.id, currentTarget.checked);
          setOn(currentTarget.checked);
        }}
      />
      <dl className={styles.keys} data-off={!on || undefined}>
        {entries.map(({ keys, label }) => (
          <Fragment key={label}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </Fragment>
        ))}
      </dl>
    </Modal>
  );
}

import { Kbd, Modal } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMe } from '~/api/session';
import { areKeysOn } from '~/lib/keys';
import { KeySwitch } from '~/ui/KeySwitch';
import { useReturnFocus } from '~/ui/useReturnFocus';
import styles from './CardsView.module.css';

/** What a key does; several keys for one purpose are one entry. */
export interface KeyEntry {
  keys: readonly string[];
  label: string;
}

interface Props {
  entries: readonly KeyEntry[];
  onClose(): void;
}

/** What each key of a page does, and a switch that turns single keys off for this user. */
export function KeyHelp({ entries, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation(['list', 'common']);
  const me = useMe();
  const [on, setOn] = useState(() => areKeysOn(me.id));
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('keys.title')}
      centered
      closeButtonProps={{ 'aria-label': t('common:close') }}
    >
      <KeySwitch userId={me.id} onSwitched={setOn} />
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

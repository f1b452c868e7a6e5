import { Switch } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { areKeysOn, switchKeys } from '~/lib/keys';

interface Props {
  userId: number;
  onSwitched?(on: boolean): void;
}

/** Turns the single keys of all pages on or off for a user of this browser. */
export function KeySwitch({ userId, onSwitched }: Props) {
  const { t } = useTranslation('common');
  const [on, setOn] = useState(() => areKeysOn(userId));
  return (
    <Switch
      label={t('keys.on')}
      description={t('keys.onHint')}
      checked={on}
      onChange={({ currentTarget }) => {
        switchKeys(userId, currentTarget.checked);
        setOn(currentTarget.checked);
        onSwitched?.(currentTarget.checked);
      }}
    />
  );
}

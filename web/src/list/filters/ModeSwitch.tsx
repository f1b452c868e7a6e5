import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export type Mode = 'inq' | 'nin' | 'contain' | 'exclude';

interface Props {
  label: string;
  modes: readonly Mode[];
  value: Mode;
  onChange(mode: Mode): void;
}

/** Chooses how a filter applies its values. */
export function ModeSwitch({ label, modes, value, onChange }: Props) {
  const { t } = useTranslation('list');
  return (
    <SegmentedControl
      size="xs"
      w="fit-content"
      aria-label={t('mode.label', { label })}
      value={value}
      data={modes.map((mode) => ({ value: mode, label: <span className="sentence">{t(`mode.${mode}`)}</span> }))}
      onChange={(mode) => onChange(mode as Mode)}
    />
  );
}

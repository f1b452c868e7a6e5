import { Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Where } from '~/lib/listSearch';
import type { TextFilter } from '../types';
import type { FieldProps } from './FilterField';
import { type Mode, ModeSwitch } from './ModeSwitch';
import { useMode } from './useMode';

type TextType = 'contain' | 'exclude';

interface BoxProps {
  label: string;
  type: TextType;
  value: Where | undefined;
  onChange(where: Where | undefined): void;
}

/** The box of a text filter, whatever chose its type. */
export function TextBox({ label, type, value, onChange }: BoxProps) {
  const { t } = useTranslation('list');
  const text = value && (value.type === 'contain' || value.type === 'exclude') ? value.value : '';
  return (
    <TextInput
      aria-label={label}
      placeholder={t('text')}
      value={text}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === '' ? undefined : { type, value: currentTarget.value })
      }
    />
  );
}

/** A text that must, or must not, be contained. */
export function TextField({ label, value, onChange }: FieldProps<TextFilter>) {
  const applied = value?.type === 'contain' || value?.type === 'exclude' ? value : undefined;
  const [type, setType] = useMode<TextType>(applied?.type, 'contain');
  const choose = (mode: Mode) => {
    const next = mode === 'exclude' ? 'exclude' : 'contain';
    setType(next);
    if (applied) onChange({ type: next, value: applied.value });
  };
  return (
    <Stack gap="xs">
      <ModeSwitch label={label} modes={['contain', 'exclude']} value={type} onChange={choose} />
      <TextBox label={label} type={type} value={value} onChange={onChange} />
    </Stack>
  );
}

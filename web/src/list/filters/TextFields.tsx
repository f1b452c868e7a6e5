import { Stack, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Where } from '~/lib/listSearch';
import { SEPARATORS, splitPasted } from '~/lib/pasted';
import { useFoundOptions } from '~/ui/useFoundOptions';
import type { ChipsFilter, TextFilter } from '../types';
import { type FieldProps, ModeSwitch, useMode } from './field';

type TextType = 'contain' | 'exclude';
type ListType = 'inq' | 'nin';

interface BoxProps {
  label: string;
  type: TextType;
  value: Where | undefined;
  onChange(where: Where | undefined): void;
}

/** The input of a text that must be contained or must not, as `type` says; an empty text removes the filter. */
function TextBox({ label, type, value, onChange }: BoxProps) {
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

/** A text that must be contained or must not, as a switch says; an empty text removes the filter. */
export function TextField({ label, value, onChange }: FieldProps<TextFilter>) {
  const applied = value?.type === 'contain' || value?.type === 'exclude' ? value : undefined;
  const [type, setType] = useMode<TextType>(applied?.type, 'contain');
  const choose = (next: TextType) => {
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

const isText = (mode: ListType | TextType): mode is TextType => mode === 'contain' || mode === 'exclude';

/**
 * Chips of typed or pasted texts, with the server's suggestions, to match or (with `def.exclude`) to exclude; with `def.contain`, the user
 * may switch to one text that must be contained or, with both, must not, which clears the value.
 */
export function ChipsField({ def, searchKey, label, value, onChange, filters }: FieldProps<ChipsFilter>) {
  const { t } = useTranslation('list');
  const [text, setText] = useState('');
  const { search: find } = def;
  const search = find && ((query: string, signal: AbortSignal) => find(query, signal, filters));
  const { options } = useFoundOptions([...searchKey, filters.country?.value], search, text);
  const [mode, setMode] = useMode<ListType | TextType>(value?.type === 'between' ? undefined : value?.type, 'inq');
  const values = value && (value.type === 'inq' || value.type === 'nin') ? value.value.map(String) : [];
  const modes: (ListType | TextType)[] = [
    'inq',
    ...(def.exclude ? (['nin'] as const) : []),
    ...(def.contain ? (['contain'] as const) : []),
    ...(def.contain && def.exclude ? (['exclude'] as const) : []),
  ];

  const put = (type: ListType, kept: readonly string[]) =>
    onChange(kept.length === 0 ? undefined : { type, value: [...new Set(kept)] });

  const switchMode = (next: ListType | TextType) => {
    setMode(next);
    if (!value) return;
    // A part of a text is no exact value, nor the reverse: only what is of the same kind is carried over.
    if (isText(next) && (value.type === 'contain' || value.type === 'exclude')) onChange({ ...value, type: next });
    else if (!isText(next) && !isText(mode)) put(next, values);
    else onChange(undefined);
  };

  return (
    <Stack gap="xs">
      {modes.length > 1 && <ModeSwitch label={label} modes={modes} value={mode} onChange={switchMode} />}
      {isText(mode) ? (
        <TextBox label={label} type={mode} value={value} onChange={onChange} />
      ) : (
        <TagsInput
          aria-label={label}
          placeholder={values.length === 0 ? t('typeOrPaste') : undefined}
          clearable
          maxDropdownHeight={240}
          splitChars={[...SEPARATORS]}
          searchValue={text}
          onSearchChange={setText}
          filter={({ options: all }) => all}
          data={options.map((option) => option.label).filter((one) => !values.includes(one))}
          value={values}
          onChange={(kept) => put(mode, kept.flatMap(splitPasted))}
          comboboxProps={{ withinPortal: false }}
        />
      )}
    </Stack>
  );
}

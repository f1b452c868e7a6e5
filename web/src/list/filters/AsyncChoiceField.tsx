import { Loader, MultiSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Where } from '~/lib/listSearch';
import { useFoundOptions } from '~/ui/useFoundOptions';
import type { AsyncChoiceFilter, FoundOption } from '../types';
import type { FieldProps } from './FilterField';
import { type Mode, ModeSwitch } from './ModeSwitch';
import { useMode } from './useMode';

/** Choices the server finds while one types; values are ids, shown by their words. */
export function AsyncChoiceField({ def, label, value, onChange, filters }: FieldProps<AsyncChoiceFilter>) {
  const { t } = useTranslation('list');
  const [text, setText] = useState('');
  const search = (query: string, signal: AbortSignal) => def.search(query, signal, filters);
  const { options, loading, failed } = useFoundOptions([label, filters.country?.value], search, text);
  const where = value && (value.type === 'inq' || value.type === 'nin') ? value : undefined;
  const [mode, setMode] = useMode(where?.type, 'inq');
  const chosen: FoundOption[] = (where?.value ?? []).map((one, index) => ({
    value: one,
    label: where?.labels?.[index] ?? options.find((option) => option.value === one)?.label ?? String(one),
  }));
  const offered = [...chosen, ...options.filter((option) => !chosen.some((one) => one.value === option.value))];

  const put = (kept: readonly FoundOption[], type = mode) =>
    onChange(
      kept.length === 0
        ? undefined
        : ({ type, value: kept.map((one) => one.value), labels: kept.map((one) => one.label) } satisfies Where),
    );

  const switchMode = (next: Mode) => {
    const type = next === 'nin' ? 'nin' : 'inq';
    setMode(type);
    if (chosen.length > 0) put(chosen, type);
  };

  return (
    <Stack gap="xs">
      {def.exclude && <ModeSwitch label={label} modes={['inq', 'nin']} value={mode} onChange={switchMode} />}
      <MultiSelect
        aria-label={label}
        placeholder={chosen.length === 0 ? t('typeToSearch') : undefined}
        searchable
        clearable
        hidePickedOptions
        maxDropdownHeight={240}
        searchValue={text}
        onSearchChange={setText}
        // The server has searched already.
        filter={({ options: all }) => all}
        data={offered.map((one) => ({ value: String(one.value), label: one.label }))}
        value={chosen.map((one) => String(one.value))}
        onChange={(keys) => put(offered.filter((one) => keys.includes(String(one.value))))}
        nothingFoundMessage={failed ? t('choiceFailed') : loading ? t('searching') : t('noResult')}
        rightSection={loading && text !== '' ? <Loader size={16} /> : undefined}
        comboboxProps={{ withinPortal: false }}
      />
    </Stack>
  );
}

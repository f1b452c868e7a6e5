import { Chip, Group, Loader, MultiSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isStaff, useMe } from '~/api/session';
import type { Value, Where } from '~/lib/listSearch';
import { Flag } from '~/ui/marketIcons';
import { useCountries } from '~/ui/useFormats';
import { useFoundOptions } from '~/ui/useFoundOptions';
import type { AsyncChoiceFilter, ChoiceFilter, CountriesFilter, FoundOption } from '../types';
import { type FieldProps, ModeSwitch, useMode } from './field';
import { sameValues } from './kinds';

/**
 * A few fixed options: several can be chosen, or one with `def.single`; with `def.exclude` also excluded. Options for staff show to others
 * only if chosen already.
 */
export function ChoiceField({ def, label, value, onChange, texts }: FieldProps<ChoiceFilter>) {
  const me = useMe();
  const single = def.single === true;
  const options = def.options.map((option) => ({ ...option, text: texts.own(option.label) }));
  // An option chosen earlier, or in a shared address, stays visible.
  const offered = options.filter(
    (option) => !option.staff || isStaff(me) || isChosen(option, chosenValues(value), single),
  );
  return (
    <Choices
      options={offered}
      label={label}
      value={value}
      single={single}
      exclude={def.exclude === true}
      onChange={onChange}
    />
  );
}

/** The countries of tracked places, and those already chosen, as options: several can be chosen, with `def.exclude` also excluded. */
export function CountriesField({ def, label, value, onChange }: FieldProps<CountriesFilter>) {
  const { codes, name } = useCountries();
  const offered = [...new Set([...codes, ...chosenValues(value).map(String)])];
  return (
    <Choices
      options={offered.map((code) => ({ value: code, text: name(code), flag: code }))}
      label={label}
      value={value}
      single={false}
      exclude={def.exclude === true}
      onChange={onChange}
    />
  );
}

/** A choice as it is shown. */
interface Shown {
  value: Value;
  /** The translated label. */
  text: string;
  /** Replace its own value in the query. */
  values?: readonly Value[] | undefined;
  /** Country code of a flag before the text. */
  flag?: string | undefined;
}

interface Props {
  options: readonly Shown[];
  label: string;
  value: Where | undefined;
  /** At most one can be chosen. */
  single: boolean;
  /** Can be switched to exclude the chosen ones. */
  exclude: boolean;
  onChange(where: Where | undefined): void;
}

const wanted = (option: Shown): readonly Value[] => option.values ?? [option.value];

/** The values of a filter. */
const chosenValues = (where: Where | undefined): readonly Value[] =>
  where?.type === 'inq' || where?.type === 'nin' ? where.value : [];

const isChosen = (option: Shown, chosen: readonly Value[], single: boolean): boolean =>
  single ? sameValues(wanted(option), chosen) : chosen.includes(option.value);

/** Options as chips, all visible: several can be chosen, or one if `single`; a switch excludes them if `exclude`. No choice removes the filter. */
function Choices({ options, label, value, single, exclude, onChange }: Props) {
  const applied = value?.type === 'inq' || value?.type === 'nin' ? value.type : undefined;
  const [mode, setMode] = useMode(applied, 'inq');
  const chosen = chosenValues(value);

  const put = (values: readonly Value[], type = mode) =>
    onChange(values.length === 0 ? undefined : { type, value: values });

  const switchMode = (type: 'inq' | 'nin') => {
    setMode(type);
    if (chosen.length > 0) put(chosen, type);
  };

  const toggle = (option: Shown) => {
    const was = isChosen(option, chosen, single);
    if (single) return put(was ? [] : wanted(option));
    put(was ? chosen.filter((one) => one !== option.value) : [...chosen, option.value]);
  };

  return (
    <Stack gap="xs">
      {exclude && <ModeSwitch label={label} modes={['inq', 'nin']} value={mode} onChange={switchMode} />}
      <Group gap={6} role="group" aria-label={label}>
        {options.map((option) => (
          <Chip
            key={option.value}
            size="sm"
            variant="outline"
            checked={isChosen(option, chosen, single)}
            onChange={() => toggle(option)}
          >
            {option.flag && (
              <>
                <Flag code={option.flag} />{' '}
              </>
            )}
            <span className="sentence">{option.text}</span>
          </Chip>
        ))}
      </Group>
    </Stack>
  );
}

/**
 * Options that the server finds while typing, and for other countries again: several can be chosen, with `def.exclude` also excluded. The
 * filter keeps their values with the labels that are shown.
 */
export function AsyncChoiceField({ def, searchKey, label, value, onChange, filters }: FieldProps<AsyncChoiceFilter>) {
  const { t } = useTranslation('list');
  const [text, setText] = useState('');
  const search = (query: string, signal: AbortSignal) => def.search(query, signal, filters);
  const { options, loading, failed } = useFoundOptions([...searchKey, filters.country?.value], search, text);
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
        : { type, value: kept.map((one) => one.value), labels: kept.map((one) => one.label) },
    );

  const switchMode = (type: 'inq' | 'nin') => {
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

import { Loader, MultiSelect, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Search, useFoundOptions } from '../useFoundOptions';

/** An option: an id and its label. */
export interface Chosen {
  value: string | number;
  label: string;
}

interface Shared<Option extends Chosen = Chosen> {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  disabled?: boolean;
  withAsterisk?: boolean;
  /** True by default. */
  clearable?: boolean;
  onBlur?(): void;
  /** The field's name in its form, by which the form focuses it on an error. */
  'data-path'?: string;
  /** Focused when its modal opens. */
  'data-autofocus'?: boolean;
  search: Search<Option>;
  /** What the options depend on beside the typed text. */
  depends?: readonly unknown[];
}

/** Descriptions go below, so that fields beside each other line up. */
const ORDER = ['label', 'input', 'description', 'error'] as const;

/** The server's options for the typed text, and those already chosen. */
function useChoices<Option extends Chosen>(
  { label, clearable = true, search, depends = [] }: Shared<Option>,
  chosen: readonly Option[],
) {
  const { t } = useTranslation('common');
  const [text, setText] = useState('');
  const shown = chosen.find((one) => one.label === text);
  // After a choice the input holds its label, which is no query.
  const { options, loading, failed } = useFoundOptions([label, ...depends], search, shown ? '' : text);
  const others = options.filter((option) => !chosen.some((one) => one.value === option.value));
  const all = [...chosen, ...others];
  return {
    find: (key: string) => all.find((one) => String(one.value) === key),
    props: {
      label,
      inputWrapperOrder: [...ORDER],
      searchable: true,
      // Options would hide the error of a field that is focused for it; a click or a key opens them.
      openOnFocus: false,
      clearable,
      searchValue: text,
      onSearchChange: setText,
      data: all.map((one) => ({ value: String(one.value), label: one.label })),
      // The server has searched already.
      filter: <Options,>({ options: found }: { options: Options }) => found,
      nothingFoundMessage: failed ? t('choice.failed') : loading ? t('choice.searching') : t('choice.none'),
      rightSection: loading && text !== '' ? <Loader size={16} /> : undefined,
      maxDropdownHeight: 240,
    },
  };
}

interface OneProps<Option extends Chosen> extends Shared<Option> {
  value: Option | null;
  onChange(value: Option | null): void;
}

/** A select whose options the server finds while typing. The chosen option stays among them; `onChange` gets null when it is cleared. */
export function AsyncSelect<Option extends Chosen>({
  value,
  onChange,
  search,
  depends = [],
  ...shared
}: OneProps<Option>) {
  const { find, props } = useChoices({ ...shared, search, depends }, value ? [value] : []);
  return (
    <Select
      {...shared}
      {...props}
      value={value ? String(value.value) : null}
      onChange={(key) => onChange(key === null ? null : (find(key) ?? null))}
    />
  );
}

interface ManyProps extends Shared {
  value: readonly Chosen[];
  onChange(value: readonly Chosen[]): void;
}

/** A multi-select whose options the server finds while typing. Chosen options leave the list; `onChange` gets all chosen ones. */
export function AsyncMultiSelect({ value, onChange, search, depends = [], ...shared }: ManyProps) {
  const { find, props } = useChoices({ ...shared, search, depends }, value);
  return (
    <MultiSelect
      {...shared}
      {...props}
      hidePickedOptions
      value={value.map((one) => String(one.value))}
      onChange={(keys) => onChange(keys.flatMap((key) => find(key) ?? []))}
    />
  );
}

import { Chip, Group, Stack } from '@mantine/core';
import type { Value, Where } from '~/lib/listSearch';
import { Flag } from '~/ui/Flag';
import { sameValues } from './kinds';
import { type Mode, ModeSwitch } from './ModeSwitch';
import { useMode } from './useMode';

/** A choice as it is shown. */
export interface Shown {
  value: Value;
  /** Its words. */
  text: string;
  /** What it asks the server for, when that is not its own value. */
  values?: readonly Value[] | undefined;
  /** Country whose flag stands before the words. */
  flag?: string | undefined;
}

interface Props {
  options: readonly Shown[];
  label: string;
  value: Where | undefined;
  /** Whether one takes the place of another. */
  single: boolean;
  /** Whether the chosen ones can be left out instead. */
  exclude: boolean;
  onChange(where: Where | undefined): void;
}

const wanted = (option: Shown): readonly Value[] => option.values ?? [option.value];

/** The values that a filter names. */
export const chosenValues = (where: Where | undefined): readonly Value[] =>
  where?.type === 'inq' || where?.type === 'nin' ? where.value : [];

export const isChosen = (option: Shown, chosen: readonly Value[], single: boolean): boolean =>
  single ? sameValues(wanted(option), chosen) : chosen.includes(option.value);

/** A few choices, all in sight. */
export function Choices({ options, label, value, single, exclude, onChange }: Props) {
  const applied = value?.type === 'inq' || value?.type === 'nin' ? value.type : undefined;
  const [mode, setMode] = useMode(applied, 'inq');
  const chosen = chosenValues(value);

  const put = (values: readonly Value[], type = mode) =>
    onChange(values.length === 0 ? undefined : ({ type, value: values } as Where));

  const switchMode = (next: Mode) => {
    const type = next === 'nin' ? 'nin' : 'inq';
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

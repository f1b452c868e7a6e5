import { Chip, Group, Stack } from '@mantine/core';
import { isStaff, useMe } from '~/api/session';
import type { Value, Where } from '~/lib/listSearch';
import { Flag } from '~/ui/Flag';
import type { ChoiceFilter, Option } from '../types';
import type { FieldProps } from './FilterField';
import { sameValues } from './kinds';
import { type Mode, ModeSwitch } from './ModeSwitch';
import { useMode } from './useMode';

const wanted = (option: Option): readonly Value[] => option.values ?? [option.value];

/** A few choices known beforehand, all in sight. */
export function ChoiceField({ def, label, value, onChange, words }: FieldProps<ChoiceFilter>) {
  const where = value && (value.type === 'inq' || value.type === 'nin') ? value : undefined;
  const [mode, setMode] = useMode(where?.type, 'inq');
  const chosen = where?.value ?? [];
  const isChosen = (option: Option) =>
    def.single ? sameValues(wanted(option), chosen) : chosen.includes(option.value);

  const me = useMe();
  // A choice made before, or in a shared address, stays in sight.
  const offered = def.options.filter((option) => !option.staff || isStaff(me) || isChosen(option));

  const put = (values: readonly Value[], type = mode) =>
    onChange(values.length === 0 ? undefined : ({ type, value: values } as Where));

  const switchMode = (next: Mode) => {
    const type = next === 'nin' ? 'nin' : 'inq';
    setMode(type);
    if (chosen.length > 0) put(chosen, type);
  };

  const toggle = (option: Option) => {
    if (def.single) return put(isChosen(option) ? [] : wanted(option));
    put(isChosen(option) ? chosen.filter((one) => one !== option.value) : [...chosen, option.value]);
  };

  return (
    <Stack gap="xs">
      {def.exclude && <ModeSwitch label={label} modes={['inq', 'nin']} value={mode} onChange={switchMode} />}
      <Group gap={6} role="group" aria-label={label}>
        {offered.map((option) => (
          <Chip
            key={option.value}
            size="sm"
            variant="outline"
            checked={isChosen(option)}
            onChange={() => toggle(option)}
          >
            {option.flag && (
              <>
                <Flag code={option.flag} />{' '}
              </>
            )}
            <span className="sentence">{words.own(option.label)}</span>
          </Chip>
        ))}
      </Group>
    </Stack>
  );
}

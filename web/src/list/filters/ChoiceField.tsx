import { isStaff, useMe } from '~/api/session';
import type { ChoiceFilter } from '../types';
import { Choices, chosenValues, isChosen } from './Choices';
import type { FieldProps } from './FilterField';

/** A few choices known beforehand. */
export function ChoiceField({ def, label, value, onChange, words }: FieldProps<ChoiceFilter>) {
  const me = useMe();
  const single = def.single === true;
  const options = def.options.map((option) => ({ ...option, text: words.own(option.label) }));
  // A choice made before, or in a shared address, stays in sight.
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

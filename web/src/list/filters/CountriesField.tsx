import { useCountries } from '~/ui/useCountries';
import type { CountriesFilter } from '../types';
import { Choices, chosenValues } from './Choices';
import type { FieldProps } from './FilterField';

/** The countries that searches are made from, and those chosen before. */
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

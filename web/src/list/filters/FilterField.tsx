import { Text } from '@mantine/core';
import type { Where } from '~/lib/listSearch';
import type { FilterEntry } from '../entries';
import type { Filters } from '../types';
import { AsyncChoiceField, ChoiceField, CountriesField } from './ChoiceFields';
import type { ListTexts } from './kinds';
import { DateRangeField, RangeField } from './RangeFields';
import { ChipsField, TextField } from './TextFields';

interface Props {
  entry: FilterEntry;
  filters: Filters;
  texts: ListTexts;
  onChange(where: Where | undefined): void;
}

/** The field of a filter's kind, for the value being edited (`valueNew`); only a hint while `filters` lack what the filter needs. */
export function FilterField({ entry, filters, texts, onChange }: Props) {
  const { key, def, label, valueNew: value } = entry;
  if (def.needs && !def.needs.met(filters)) {
    return (
      <Text size="sm" c="dimmed">
        {texts.own(def.needs.hint)}
      </Text>
    );
  }
  const shared = { searchKey: key, label, value, filters, texts, onChange };
  switch (def.kind) {
    case 'dateRange':
      return <DateRangeField def={def} {...shared} />;
    case 'choice':
      return <ChoiceField def={def} {...shared} />;
    case 'countries':
      return <CountriesField def={def} {...shared} />;
    case 'asyncChoice':
      return <AsyncChoiceField def={def} {...shared} />;
    case 'chips':
      return <ChipsField def={def} {...shared} />;
    case 'text':
      return <TextField def={def} {...shared} />;
    case 'range':
      return <RangeField def={def} {...shared} />;
  }
}

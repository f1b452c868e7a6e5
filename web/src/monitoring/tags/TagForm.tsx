import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { searchBrands } from '~/api/queries/choices';
import { createTag, type Tag, type TagScope } from '~/api/queries/tags';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { OPTIONS_KEY } from '~/ui/useFoundOptions';

interface Props {
  scope: TagScope;
  label: string;
  onCancel(): void;
  onCreated(tag: Tag): void;
}

/** A form that creates a tag of one brand, the first one unless chosen, and passes it to `onCreated`; a failure raises a toast. */
export function TagForm({ scope, label: initialLabel, onCancel, onCreated }: Props) {
  const { t } = useTranslation(['monitoring', 'list']);
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [label, setLabel] = useState(initialLabel);
  const [chosen, setChosen] = useState<string | null>(null);
  const brands = useQuery({ queryKey: ['brands', ''], queryFn: ({ signal }) => searchBrands('', signal) });
  const options = (brands.data ?? []).map((brand) => ({ value: String(brand.value), label: brand.label }));
  const brand = chosen ?? options[0]?.value ?? null;
  const create = useMutation({
    mutationFn: () => createTag(scope, label.trim(), Number(brand)),
    onSuccess: (tag) => {
      // Every select that offers tags must offer the new one.
      void queries.invalidateQueries({ queryKey: OPTIONS_KEY });
      onCreated(tag);
    },
    onError: (error) => toast.error(errorText(error, common)),
  });
  const missing = label.trim() === '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!missing && brand) create.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={t('tags.name')}
          value={label}
          data-autofocus
          error={missing ? t('tags.nameRequired') : undefined}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <Select
          label={t('filter.brand')}
          data={options}
          value={brand}
          onChange={setChosen}
          searchable
          allowDeselect={false}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('list:cancel')}
          </Button>
          <Button type="submit" loading={create.isPending} disabled={missing || !brand}>
            {t('tags.createAndAdd')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

import { Button, Group, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { searchBrands } from '~/api/queries/choices';
import { linkBrand, STOP_GO, type StopGoBrand } from '~/api/queries/stopGo';
import { errorText } from '~/ui/errorText';
import { ModalFrame } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';

interface Props {
  linked: readonly StopGoBrand[];
  onClose(): void;
}

/** A modal that links a brand which is not linked yet. */
export function AddBrand({ linked, onClose }: Props) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const { data } = useQuery({
    queryKey: [...STOP_GO, 'brandChoices', text],
    queryFn: ({ signal }) => searchBrands(text, signal),
    placeholderData: (before) => before,
  });
  const free = (data ?? []).filter(({ value }) => linked.every(({ brandID }) => brandID !== value));
  const linking = useMutation({
    mutationFn: () => linkBrand({ brandID: Number(chosen) }),
    onSuccess: () => {
      toast.success(t('linked'));
      onClose();
    },
    onError: (error) => toast.error(t('linkFailed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: STOP_GO }),
  });
  return (
    <ModalFrame title={t('addBrand')} onClose={onClose}>
      <Select
        label={t('chooseBrand')}
        searchable
        data-autofocus
        data={free.map(({ value, label }) => ({ value: String(value), label }))}
        value={chosen}
        onChange={setChosen}
        onSearchChange={setText}
        filter={({ options }) => options}
      />
      <Group justify="flex-end" mt="lg">
        <Button disabled={chosen === null} loading={linking.isPending} onClick={() => linking.mutate()}>
          {t('link')}
        </Button>
      </Group>
    </ModalFrame>
  );
}

import { Button, Group, Select, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { linkableKeywordsQuery, linkKeyword, STOP_GO, stopGoBrandsQuery } from '~/api/queries/stopGo';
import { errorText } from '~/ui/errorText';
import { ModalFrame } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import { type Averages, AveragesFields } from './AveragesFields';

interface Props {
  /** The brand, where only one is meant. */
  brandID?: number;
  onClose(): void;
}

/** A modal that links a Google term of a linked brand. */
export function AddKeyword({ brandID, onClose }: Props) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [brand, setBrand] = useState(brandID === undefined ? null : String(brandID));
  const [keyword, setKeyword] = useState<string | null>(null);
  const [averages, setAverages] = useState<Averages>({ averageCTR: '', averageCPC: '' });
  const { data: brands } = useQuery({ ...stopGoBrandsQuery, enabled: brandID === undefined });
  const { data: terms } = useQuery({ ...linkableKeywordsQuery(Number(brand)), enabled: brand !== null });
  const linking = useMutation({
    mutationFn: () => linkKeyword({ brandID: Number(brand), keywordID: Number(keyword), ...averages }),
    onSuccess: () => {
      toast.success(t('added'));
      onClose();
    },
    onError: (error) => toast.error(t('addFailed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: STOP_GO }),
  });
  return (
    <ModalFrame title={t('addKeyword')} onClose={onClose}>
      <Stack>
        {brandID === undefined && (
          <Select
            label={t('chooseBrand')}
            searchable
            data={(brands ?? []).map((one) => ({ value: String(one.brandID), label: one.brandLabel }))}
            value={brand}
            onChange={(chosen) => {
              setBrand(chosen);
              setKeyword(null);
            }}
          />
        )}
        <Select
          label={t('chooseKeyword')}
          searchable
          disabled={brand === null}
          data={(terms ?? []).map(({ ID, content, localization }) => ({
            value: String(ID),
            label: `${content} (${localization.ISO2})`,
          }))}
          value={keyword}
          onChange={setKeyword}
        />
        <AveragesFields values={averages} onChange={setAverages} />
        <Group justify="flex-end">
          <Button disabled={keyword === null} loading={linking.isPending} onClick={() => linking.mutate()}>
            {t('addKeyword')}
          </Button>
        </Group>
      </Stack>
    </ModalFrame>
  );
}

import { Checkbox, Loader, MultiSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { googleKey, googleKeywordsQuery, mapKeywords } from '~/api/queries/google';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { FormModal } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';

/** Maps terms of the brand to an account: some, or all that are left. */
export function KeywordsModal({ id, onClose }: { id: number; onClose(): void }) {
  const { t } = useTranslation('google');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { data: keywords, isError, refetch } = useQuery(googleKeywordsQuery(id, 'linkable'));
  const [chosen, setChosen] = useState<string[]>([]);
  const map = useMutation({
    mutationFn: () => mapKeywords(id, chosen.map(Number)),
    onSuccess: () => {
      toast.success(t('mapped'));
      onClose();
    },
    onError: (error) => toast.error(t('mapFailed'), errorText(error, common)),
    onSettled: () => void queries.invalidateQueries({ queryKey: googleKey }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (chosen.length > 0) map.mutate();
  };
  const all = keywords?.map(({ ID }) => String(ID)) ?? [];
  return (
    <FormModal
      title={t('linkKeywords')}
      submitLabel={t('keywords.submit')}
      saving={map.isPending}
      disabled={chosen.length === 0}
      onSubmit={submit}
      onClose={onClose}
    >
      {!keywords && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />)}
      {keywords?.length === 0 && <p>{t('keywords.noneLeft')}</p>}
      {keywords && keywords.length > 0 && (
        <>
          <Checkbox
            label={t('keywords.all')}
            checked={chosen.length === all.length}
            indeterminate={chosen.length > 0 && chosen.length < all.length}
            onChange={({ currentTarget }) => setChosen(currentTarget.checked ? all : [])}
          />
          <MultiSelect
            label={t('keywords.choose')}
            data={keywords.map(({ ID, content, localization }) => ({
              value: String(ID),
              label: `${content} · ${localization.ISO2}`,
            }))}
            value={chosen}
            onChange={setChosen}
            searchable
            clearable
            maxDropdownHeight={240}
            data-autofocus
          />
        </>
      )}
    </FormModal>
  );
}

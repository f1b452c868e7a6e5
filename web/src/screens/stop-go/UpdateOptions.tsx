import { Button, Group, Stack, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { changeKeyword, STOP_GO, type StopGoKeyword } from '~/api/queries/stopGo';
import { errorText } from '~/ui/errorText';
import { ModalFrame } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import { AveragesFields } from './AveragesFields';

interface Props {
  keyword: StopGoKeyword;
  onClose(): void;
}

/** A modal that changes the averages and the two switches of a keyword. */
export function UpdateOptions({ keyword, onClose }: Props) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [values, setValues] = useState({
    averageCTR: keyword.averageCTR ?? '',
    averageCPC: keyword.averageCPC ?? '',
  });
  const [enable, setEnable] = useState(keyword.enable);
  const [exclude, setExclude] = useState(keyword.saveToGoogle);
  const saving = useMutation({
    mutationFn: () => changeKeyword({ ID: keyword.ID, ...values, enable, exclude }),
    onSuccess: () => {
      toast.success(t('saved'));
      onClose();
    },
    onError: (error) => toast.error(t('saveFailed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: STOP_GO }),
  });
  const { siblings } = keyword.lane;
  return (
    <ModalFrame title={`${t('updateOptions')} – ${keyword.keyword.content}`} onClose={onClose}>
      <Stack>
        <AveragesFields values={values} onChange={setValues} />
        <Switch
          label={t('enabled')}
          checked={enable}
          onChange={({ currentTarget }) => setEnable(currentTarget.checked)}
        />
        <Switch
          label={t('excluded')}
          {...(siblings > 0 && { description: t('siblings', { count: siblings }) })}
          checked={exclude}
          onChange={({ currentTarget }) => setExclude(currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button loading={saving.isPending} onClick={() => saving.mutate()}>
            {common('save')}
          </Button>
        </Group>
      </Stack>
    </ModalFrame>
  );
}

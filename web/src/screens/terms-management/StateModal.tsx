import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TermState } from '~/api/queries/settingTerms';
import { errorText } from '~/ui/errorText';
import { FormModal } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import { ChangeCost } from './CostLine';
import { type ChangeProps, countOf, submitting, useChange, useName, WholeNote } from './termChange';

/** Changes the state of terms, after it has said what that costs. */
export function StateModal({ state, ...props }: ChangeProps & { state: TermState }) {
  const { t } = useTranslation('settingTerms');
  const commonTexts = useTranslation('common').t;
  const name = useName(props);
  const { mutate, isPending } = useChange(
    props,
    () => toast.success(t('updateDone')),
    (error) => toast.error(errorText(error, commonTexts)),
  );
  return (
    <FormModal
      title={t(`title.${state}`, { name })}
      submitLabel={t('apply', { count: countOf(props) })}
      saving={isPending}
      onSubmit={submitting(() => mutate({ fields: { state }, shown: { state } }))}
      onClose={props.onClose}
    >
      <WholeNote whole={props.whole} />
      <Text size="sm">{t(`effect.${state}`)}</Text>
      <ChangeCost target={props} change={{ state }} />
    </FormModal>
  );
}

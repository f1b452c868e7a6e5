import { MultiSelect } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { googleKey, googleKeywordsQuery, retrievalCostQuery, retrieve } from '~/api/queries/google';
import { dayjs } from '~/lib/dates';
import { Calendars } from '~/ui/Calendars';
import { errorText } from '~/ui/errorText';
import { FormModal } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import styles from './GoogleConnect.module.css';
import { USUAL_MONTHS } from './period';

const DAY = 'YYYY-MM-DD';

/** Asks workers for the figures of some days and keywords, and says before what that costs. */
export function RetrieveModal({ id, onClose }: { id: number; onClose(): void }) {
  const { t } = useTranslation('google');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { data: keywords } = useQuery(googleKeywordsQuery(id, 'link'));
  const [start, setStart] = useState<string | null>(dayjs().subtract(USUAL_MONTHS, 'month').format(DAY));
  const [end, setEnd] = useState<string | null>(dayjs().format(DAY));
  const [chosen, setChosen] = useState<string[]>([]);
  const reversed = start !== null && end !== null && end < start;
  const isReady = start !== null && end !== null && !reversed;
  const filter = { startDate: start ?? '', endDate: end ?? '', keywords: chosen.map(Number) };
  const cost = useQuery({ ...retrievalCostQuery(id, filter), enabled: isReady });
  const ask = useMutation({
    mutationFn: () => retrieve(id, filter),
    onSuccess: () => {
      toast.success(t('retrieving'));
      onClose();
    },
    onError: (error) => toast.error(t('retrieveFailed'), errorText(error, common)),
    onSettled: () => void queries.invalidateQueries({ queryKey: googleKey }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isReady) ask.mutate();
  };
  return (
    <FormModal
      title={t('retrieve.title')}
      submitLabel={t('retrieve.submit')}
      saving={ask.isPending}
      disabled={!isReady}
      onSubmit={submit}
      onClose={onClose}
    >
      <Calendars>
        <DateInput
          label={t('startIncluded')}
          valueFormat="DD/MM/YYYY"
          value={start}
          onChange={setStart}
          maxDate={dayjs().format(DAY)}
          withAsterisk
        />
        <DateInput
          label={t('endIncluded')}
          valueFormat="DD/MM/YYYY"
          value={end}
          onChange={setEnd}
          maxDate={dayjs().format(DAY)}
          withAsterisk
          error={reversed ? t('retrieve.endBeforeStart') : undefined}
        />
      </Calendars>
      <MultiSelect
        label={t('retrieve.keywords')}
        placeholder={chosen.length === 0 ? t('retrieve.all') : ''}
        data={(keywords ?? []).map(({ ID, content, localization }) => ({
          value: String(ID),
          label: `${content} · ${localization.ISO2}`,
        }))}
        value={chosen}
        onChange={setChosen}
        searchable
        clearable
      />
      <div role="status" className={styles.cost}>
        {cost.isError && <span className={styles.warning}>{errorText(cost.error, common)}</span>}
        {cost.data && (
          <>
            <strong>
              {cost.data.sea ? t('retrieve.cost', { count: cost.data.operations }) : t('retrieve.noCost')}
            </strong>
            <span className={styles.dim}>
              {[
                t('retrieve.months', { count: cost.data.months }),
                t('retrieve.keywordCount', { count: cost.data.keywords }),
                ...(typeof cost.data.left === 'number' ? [t('retrieve.left', { left: cost.data.left })] : []),
              ].join(' · ')}
            </span>
          </>
        )}
      </div>
    </FormModal>
  );
}

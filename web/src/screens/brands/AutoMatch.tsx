import { Alert, Button, Checkbox, Group, Modal, Radio, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isUnusual, matchPreviewQuery, matchRunsQuery, startMatchRun } from '~/api/queries/brandMatch';
import type { BrandRow } from '~/api/queries/brands';
import { toast } from '~/ui/toast';
import { useReturnFocus } from '~/ui/useReturnFocus';
import { failureWords } from './matchWords';

interface Props {
  brand: BrandRow;
  onClose(): void;
}

/** Asks which terms to match with a brand, says how many change before they do, and starts the match; how it ends is shown by `MatchRuns`. */
export function AutoMatch({ brand, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [terms, setTerms] = useState<'open' | 'all'>('open');
  const [sure, setSure] = useState(false);
  const id = Number(brand.id);
  const counts = useQuery(matchPreviewQuery(id, brand)).data?.data;
  const changed = counts && {
    open: counts.linked,
    all: counts.linked + counts.taken + counts.released,
  };
  const unusual = counts !== undefined && changed !== undefined && isUnusual(changed[terms], counts);
  const matching = useMutation({
    mutationFn: () => startMatchRun(id, terms === 'all'),
    onSuccess: () => {
      onClose();
      return queries.invalidateQueries(matchRunsQuery);
    },
    onError: (error) => toast.error(t('match.failed', { brand: brand.label }), failureWords(error, common)),
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('match.title', { brand: brand.label })}
      centered
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <Stack>
        <Radio.Group
          label={t('match.which')}
          value={terms}
          onChange={(value) => {
            setTerms(value === 'all' ? 'all' : 'open');
            setSure(false);
          }}
        >
          <Stack gap="sm" mt="xs">
            <Radio
              value="open"
              label={t('match.open')}
              description={counts && t('match.wouldLink', { count: counts.linked })}
            />
            <Radio
              value="all"
              label={t('match.all')}
              description={
                counts &&
                t('match.wouldChange', {
                  linked: counts.linked + counts.taken,
                  taken: counts.taken,
                  released: counts.released,
                })
              }
            />
          </Stack>
        </Radio.Group>
        {unusual && (
          <Alert color="yellow" icon={<IconAlertTriangle />}>
            <Checkbox
              label={t('match.sure', { count: changed[terms], total: counts.total })}
              checked={sure}
              onChange={(event) => setSure(event.currentTarget.checked)}
            />
          </Alert>
        )}
      </Stack>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {common('cancel')}
        </Button>
        <Button loading={matching.isPending} disabled={!counts || (unusual && !sure)} onClick={() => matching.mutate()}>
          {t('match.start')}
        </Button>
      </Group>
    </Modal>
  );
}

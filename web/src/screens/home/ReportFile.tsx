import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { reportFileAddress, reportFileQuery, requestReport } from '~/api/queries/report';
import { saveFile } from '~/lib/saveFile';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

interface Props {
  /** The month of the report, `YYYY-MM`. */
  month: string;
  /** All brands without. */
  brand: number | undefined;
}

/** Has the report printed by the server, and downloads it once it is there. */
export function ReportFile({ month, brand }: Props) {
  const { t } = useTranslation('home');
  const common = useTranslation('common').t;
  const [waitsFor, setWaitsFor] = useState<number>();
  const request = useMutation({
    mutationFn: () => requestReport(month, brand),
    onSuccess: ({ id }) => setWaitsFor(id),
    onError: (error) => toast.error(errorText(error, common)),
  });
  const { data, error } = useQuery({ ...reportFileQuery(waitsFor ?? 0), enabled: waitsFor !== undefined });
  const state = waitsFor === data?.id ? data?.state : undefined;
  useEffect(() => {
    if (waitsFor === undefined || (!error && (state === undefined || state === 'waiting'))) return;
    setWaitsFor(undefined);
    if (state === 'ready') saveFile(reportFileAddress(waitsFor), `report-${month}.pdf`);
    else toast.error(error ? errorText(error, common) : t('report.failed'));
  }, [waitsFor, state, error, month, t, common]);
  return (
    <Button
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={request.isPending || waitsFor !== undefined}
      onClick={() => request.mutate()}
    >
      {t('report.pdf')}
    </Button>
  );
}

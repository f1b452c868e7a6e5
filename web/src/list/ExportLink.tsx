import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isApiLink } from '~/api/links';
import { exportAddress } from '~/api/queries/exports';
import { dayjs } from '~/lib/dates';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { useHandheld } from '~/ui/useDevice';

interface Props {
  /** The server's link; only one to our own API is followed. */
  href: string;
  name: string;
  /** Drawn as its icon alone. */
  compact?: boolean;
}

/** Has the browser save an address as a file. */
function save(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

/** Downloads the whole list as `name-YYYY-MM-DD.csv`, by a ticket that is asked for at the click. */
export function ExportLink({ href, name, compact = false }: Props) {
  const { t, i18n } = useTranslation('list');
  const common = useTranslation('common').t;
  const handheld = useHandheld();
  const download = useMutation({
    mutationFn: () => exportAddress(href, i18n.language),
    onSuccess: (address) => save(address, `${name}-${dayjs().format('YYYY-MM-DD')}.csv`),
    onError: (error) => toast.error(errorText(error, common)),
  });
  if (!isApiLink(href)) return null;
  const button = {
    variant: 'default',
    loading: download.isPending,
    onClick: () => download.mutate(),
  } as const;
  if (handheld || compact) {
    return (
      <Tooltip label={t('exportCsv')}>
        <ActionIcon {...button} size={compact ? 30 : 36} aria-label={t('exportCsv')}>
          <IconDownload size={16} />
        </ActionIcon>
      </Tooltip>
    );
  }
  return (
    <Button {...button} leftSection={<IconDownload size={16} />}>
      {t('exportCsv')}
    </Button>
  );
}

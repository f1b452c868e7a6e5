import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconDownload, IconFileSpreadsheet } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { exportAddress, type FileFormat, isApiLink } from '~/api/links';
import { dayjs } from '~/lib/dates';
import { saveFile } from '~/lib/saveFile';
import { useHandheld } from '~/ui/environment';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

interface Props {
  /** A link of the server; ignored unless it leads to our own API. */
  href: string;
  name: string;
  /** Shows icon buttons, without labels. */
  compact?: boolean;
}

/**
 * Two buttons that download the whole list as `name-YYYY-MM-DD.csv` or `.xlsx`, with a ticket requested on click; a failure raises a toast.
 * Nothing if `href` does not lead to this server's API.
 */
export function ExportLink({ href, name, compact = false }: Props) {
  const { t, i18n } = useTranslation('list');
  const common = useTranslation('common').t;
  const handheld = useHandheld();
  const download = useMutation({
    mutationFn: (format: FileFormat) => exportAddress(href, format, i18n.language),
    onSuccess: (address, format) => saveFile(address, `${name}-${dayjs().format('YYYY-MM-DD')}.${format}`),
    onError: (error) => toast.error(errorText(error, common)),
  });
  if (!isApiLink(href)) return null;
  const button = (format: FileFormat) =>
    ({
      variant: 'default',
      loading: download.isPending && download.variables === format,
      onClick: () => download.mutate(format),
    }) as const;
  const size = compact ? 30 : 36;
  return (
    <>
      {handheld || compact ? (
        <Tooltip label={t('exportCsv')}>
          <ActionIcon {...button('csv')} size={size} aria-label={t('exportCsv')}>
            <IconDownload size={16} />
          </ActionIcon>
        </Tooltip>
      ) : (
        <Button {...button('csv')} leftSection={<IconDownload size={16} />}>
          {t('exportCsv')}
        </Button>
      )}
      <Tooltip label={t('exportXlsx')}>
        <ActionIcon {...button('xlsx')} size={size} aria-label={t('exportXlsx')}>
          <IconFileSpreadsheet size={16} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

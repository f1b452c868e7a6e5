import { ActionIcon, Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { dayjs } from '~/lib/dates';
import { useHandheld } from '~/ui/useDevice';

interface Props {
  /** The server's link; only one to our own API is followed. */
  href: string;
  name: string;
}

/** Whether a link of an answer stays on this server's API. */
export const isApiLink = (href: string): boolean => {
  const url = new URL(href, window.location.origin);
  return url.origin === window.location.origin && url.pathname.startsWith('/api/');
};

/** Downloads the whole list as `name-YYYY-MM-DD.csv`. */
export function ExportLink({ href, name }: Props) {
  const { t } = useTranslation('list');
  const handheld = useHandheld();
  if (!isApiLink(href)) return null;
  const download = `${name}-${dayjs().format('YYYY-MM-DD')}.csv`;
  if (handheld) {
    return (
      <ActionIcon component="a" href={href} download={download} variant="default" size={36} aria-label={t('exportCsv')}>
        <IconDownload size={16} />
      </ActionIcon>
    );
  }
  return (
    <Button component="a" href={href} download={download} variant="default" leftSection={<IconDownload size={16} />}>
      {t('exportCsv')}
    </Button>
  );
}

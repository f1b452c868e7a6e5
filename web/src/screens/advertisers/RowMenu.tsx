import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ServerLink } from '~/api/links';
import { type AdvertiserRow, followRowLink } from '~/api/queries/advertisers';
import { toast } from '~/ui/toast';
import { rowLinks } from './acts';

/** What the server offers to do with one advertiser; nothing where it offers nothing. */
export function RowMenu({ row }: { row: AdvertiserRow }) {
  const { t } = useTranslation(['advertisers', 'common']);
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: (link: ServerLink) => followRowLink(queries, link),
    onError: () => toast.error(t('common:generic.error')),
  });
  const offered = rowLinks(row);
  if (offered.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          loading={run.isPending}
          aria-label={t('act.menu', { domain: row.domain })}
        >
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map(({ word, link }) => (
          <Menu.Item key={word} onClick={() => run.mutate(link)}>
            <span className="sentence">{t(`act.${word}`)}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

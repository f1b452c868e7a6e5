import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ServerLink } from '~/api/links';
import { type AdvertiserRow, followAdvertiserLink } from '~/api/queries/advertisers';
import { toast } from '~/ui/toast';

/** The server's links that the menu shows, in order, with the text key of each. */
const LINKS = [
  ['markAsRequested', 'request'],
  ['cancelRequested', 'cancelRequest'],
  ['markAsIgnored', 'ignore'],
  ['cancelIgnore', 'unignore'],
] as const;

const STATUSES_WITH_MENU = ['ignored', 'new', 'requested'];

/** The links of a row that its menu offers; none in a status without a menu. */
export const menuLinks = (row: AdvertiserRow) =>
  STATUSES_WITH_MENU.includes(row.status)
    ? LINKS.flatMap(([name, text]) => {
        const link = row.links[name];
        return link ? [{ text, link }] : [];
      })
    : [];

/** A menu of the changes that the server offers for one advertiser, in `STATUSES_WITH_MENU` only; nothing without any. Failures raise a toast. */
export function RowMenu({ row }: { row: AdvertiserRow }) {
  const { t } = useTranslation(['advertisers', 'common']);
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (link: ServerLink) => followAdvertiserLink(queries, link),
    onError: () => toast.error(t('common:generic.error')),
  });
  const links = menuLinks(row);
  if (links.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          loading={isPending}
          aria-label={t('act.menu', { domain: row.domain })}
        >
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {links.map(({ text, link }) => (
          <Menu.Item key={text} onClick={() => mutate(link)}>
            <span className="sentence">{t(`act.${text}`)}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

import { Loader, Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconChevronDown, IconUserCircle } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CaseRow, changeCase } from '~/api/queries/actions';
import { workloadQuery } from '~/api/queries/caseDetails';
import { useMe } from '~/api/session';
import { place } from '~/list/cards/place';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Action.module.css';

/** The member of the staff that works on a case, and a menu that gives it to another one, with the open cases of each. */
export function CaseOwner({ row }: { row: CaseRow }) {
  const { t } = useTranslation('action');
  const common = useTranslation('common').t;
  const me = useMe();
  const queries = useQueryClient();
  const [opened, setOpened] = useState(false);
  const { data: loads, isError } = useQuery({ ...workloadQuery, enabled: opened });
  const { mutate, isPending } = useMutation({
    mutationFn: async (ownerId: number | null) => {
      const link = row.links.assign;
      if (link) await changeCase(queries, row, link, { ownerId });
      place.clear();
    },
    onError: (error) => toast.error(t('owner.failed'), errorText(error, common)),
  });
  const name = row.owner?.name ?? t('owner.nobody');
  return (
    <p className={styles.owner}>
      <IconUserCircle size={16} aria-hidden />
      <span>{t('owner.label')}</span>
      {row.links.assign ? (
        <Menu opened={opened} onChange={setOpened} position="bottom-start" width="max-content">
          <Menu.Target>
            <UnstyledButton className={styles.ownerName} aria-label={t('owner.change', { name })} disabled={isPending}>
              {name}
              <IconChevronDown size={14} aria-hidden />
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            {!loads && <Menu.Label>{isError ? t('owner.loadFailed') : <Loader size="xs" />}</Menu.Label>}
            {loads?.map(({ owner, requested, waiting, ours, blocked }) => (
              <Menu.Item
                key={owner?.id ?? 0}
                leftSection={
                  <IconCheck size={16} style={{ visibility: owner?.id === row.owner?.id ? 'visible' : 'hidden' }} />
                }
                rightSection={
                  owner && (
                    <span className={styles.load}>
                      {t('owner.open', { count: requested + waiting + ours + blocked })}
                    </span>
                  )
                }
                onClick={() => mutate(owner?.id ?? null)}
              >
                {owner ? (owner.id === me.id ? t('owner.me', { name: owner.name }) : owner.name) : t('owner.nobody')}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : (
        <strong>{name}</strong>
      )}
    </p>
  );
}

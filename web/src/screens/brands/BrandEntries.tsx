import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { ErrorPanel } from '~/ui/feedback';
import { ModalFrame } from '~/ui/form/FormModal';
import styles from './BrandEntries.module.css';

const WIDTH = 640;

interface Props<Entry extends { id: number }, Key extends QueryKey> {
  /** Whose texts of `brands` are shown. */
  kind: 'partners' | 'trademarks';
  /** Name of the brand. */
  brand: string;
  query: UseQueryOptions<Entry[], Error, Entry[], Key>;
  nameOf(entry: Entry): string;
  /** What is said of an entry beside its buttons. */
  facts(entry: Entry): ReactNode;
  /** The form of an entry, null for a new one. */
  form(entry: Entry | null, onDone: () => void): ReactNode;
  remove(entry: Entry): Promise<void>;
  /** Keys of other queries that show the entries. */
  changes?: readonly QueryKey[];
  onClose(): void;
}

/** A modal with what belongs to a brand: adds, changes and removes its entries. Checks no rights. */
export function BrandEntries<Entry extends { id: number }, Key extends QueryKey>({
  kind,
  brand,
  query,
  nameOf,
  facts,
  form,
  remove,
  changes = [],
  onClose,
}: Props<Entry, Key>) {
  const { t } = useTranslation('brands');
  const { data, isError, refetch } = useQuery(query);
  const [edited, setEdited] = useState<Entry | 'new'>();
  const [removed, setRemoved] = useState<Entry>();
  return (
    <ModalFrame title={t(`entries.title.${kind}`, { brand })} onClose={onClose} size={WIDTH}>
      {edited && form(edited === 'new' ? null : edited, () => setEdited(undefined))}
      {!edited && !data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {!edited && data && (
        <Stack>
          <Text size="sm">{t(data.length > 0 ? `entries.hint.${kind}` : `entries.none.${kind}`)}</Text>
          <ul className={styles.list}>
            {data.map((entry) => {
              const name = nameOf(entry);
              return (
                <li key={entry.id} className={styles.item}>
                  <div className={styles.facts}>{facts(entry)}</div>
                  <Group gap="xs" wrap="nowrap">
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => setEdited(entry)}
                      aria-label={t('entries.changeOf', { name })}
                    >
                      {t('entries.change')}
                    </Button>
                    <Button
                      size="xs"
                      variant="default"
                      onClick={() => setRemoved(entry)}
                      aria-label={t('entries.removeOf', { name })}
                    >
                      {t('entries.remove')}
                    </Button>
                  </Group>
                </li>
              );
            })}
          </ul>
          <Group justify="flex-end">
            <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')} data-autofocus>
              {t(`entries.add.${kind}`)}
            </Button>
          </Group>
        </Stack>
      )}
      {removed && (
        <ConfirmModal
          danger
          title={t('entries.removeTitle', { name: nameOf(removed) })}
          text={t(`entries.removeText.${kind}`)}
          confirm={t('entries.remove')}
          act={() => remove(removed)}
          done={t(`entries.removed.${kind}`)}
          changes={[query.queryKey, ...changes]}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </ModalFrame>
  );
}

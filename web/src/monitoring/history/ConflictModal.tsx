import { Button, Group, Loader, Modal, Text } from '@mantine/core';
import { type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AsOf } from '~/api/asOf';
import { brandsKey } from '~/api/queries/brands';
import { type HistoryModel, trailQuery } from '~/api/queries/history';
import { settingTermsKey } from '~/api/queries/settingTerms';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import type { Conflict } from '~/ui/conflict';
import { useReturnFocus } from '~/ui/useReturnFocus';
import { More } from './HistoryDrawer';
import styles from './history.module.css';
import { TrailEntries } from './TrailEntries';

/** What shows rows of a model. */
const SHOWN_BY: Record<HistoryModel, readonly QueryKey[]> = {
  Term: [settingTermsKey],
  Brand: [brandsKey],
  Category: NAMING_TAGS,
};

const isModel = (name: string): name is HistoryModel => name in SHOWN_BY;

/** Rows whose trails are read at once. */
const ROWS_AT_ONCE = 5;

const WIDTH = 620;

/**
 * Says that somebody else has changed what the user is about to change, shows each such change, and asks which of the two is to stay. To close it is to
 * keep theirs: then what shows the rows is loaded again.
 */
export function ConflictModal({ conflict }: { conflict: Conflict }) {
  useReturnFocus();
  const { t } = useTranslation('history');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const { changed, since, decide } = conflict;
  const { model, count, rows } = changed;
  const shown = rows.slice(0, most);
  const keepTheirs = () => {
    decide(false);
    const keys = isModel(model) ? SHOWN_BY[model] : [];
    return Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  return (
    <Modal
      opened
      onClose={keepTheirs}
      closeOnClickOutside={false}
      title={t('conflict.title')}
      size={WIDTH}
      centered
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <Text>{t(`conflict.text.${model}`, { count, defaultValue: '' })}</Text>
      {isModel(model) &&
        shown.map(({ id, name }) => <Difference key={id} model={model} id={id} name={name} since={since} />)}
      {shown.length < rows.length && (
        <Button variant="default" onClick={() => setMost(most + ROWS_AT_ONCE)}>
          {t('more')}
        </Button>
      )}
      {shown.length === rows.length && count > rows.length && (
        <p className={styles.dim}>{t('conflict.others', { count: count - rows.length })}</p>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" color="red.9" onClick={() => decide(true)}>
          {t('conflict.overwrite')}
        </Button>
        <Button onClick={keepTheirs} data-autofocus>
          {t('conflict.keep')}
        </Button>
      </Group>
    </Modal>
  );
}

interface DifferenceProps {
  model: HistoryModel;
  id: number;
  name: string;
  since: AsOf;
}

/** What was done to one row since. */
function Difference({ model, id, name, since }: DifferenceProps) {
  const { t } = useTranslation('history');
  const common = useTranslation('common').t;
  const found = useInfiniteQuery(trailQuery(model, id, since));
  const pages = found.data?.pages ?? [];
  return (
    <section aria-label={name}>
      <h3 className={styles.changed}>{name}</h3>
      {found.isPending ? (
        <Loader size="sm" aria-label={t('loading')} />
      ) : found.isError ? (
        <div role="alert">
          <p>{t('trail.failed')}</p>
          <Button variant="default" onClick={() => found.refetch()}>
            {common('error.retry')}
          </Button>
        </div>
      ) : pages.every(({ data }) => data.length === 0) ? (
        <p className={styles.dim}>{t('conflict.notShown')}</p>
      ) : (
        <>
          <TrailEntries pages={pages} />
          <More found={found} />
        </>
      )}
    </section>
  );
}

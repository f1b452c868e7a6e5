import { Group, Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { acknowledgeMatchRun, type MatchRun, matchRunsQuery } from '~/api/queries/brandMatch';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './Brands.module.css';
import { CHANGED_BY_BRANDS } from './changedByBrands';
import { matchedWords } from './matchWords';

/**
 * The user's auto matches that run, each with its progress; nothing where none does. Says in a toast how each ended, also one that ended while nobody
 * looked, takes it off the server's list and refreshes what it changed.
 */
export function MatchRuns() {
  const { t } = useTranslation('brands');
  const fmt = useFormats();
  const queries = useQueryClient();
  const { data: runs = [] } = useQuery(matchRunsQuery);
  const shown = useRef(new Set<number>());
  useEffect(() => {
    const ended = runs.filter(({ id, state }) => state !== 'running' && !shown.current.has(id));
    if (ended.length === 0) return;
    for (const run of ended) {
      shown.current.add(run.id);
      showEnd(run, t);
      // One that stays on the list is shown again after a reload.
      acknowledgeMatchRun(run.id).catch(() => undefined);
    }
    for (const queryKey of CHANGED_BY_BRANDS) void queries.invalidateQueries({ queryKey });
  }, [runs, queries, t]);
  const running = runs.filter(({ state }) => state === 'running');
  if (running.length === 0) return null;
  return (
    <div className={styles.runs} aria-live="polite">
      {running.map(({ id, brand, share }) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <Text size="sm" truncate>
            {t('match.running', { brand })}
          </Text>
          <Progress value={share * 100} w={96} aria-label={t('match.running', { brand })} />
          <Text size="sm" className={styles.share}>
            {fmt.share(share)}
          </Text>
        </Group>
      ))}
    </div>
  );
}

function showEnd({ brand, state, matched, problem }: MatchRun, t: TFunction<'brands'>) {
  if (state === 'done') toast.success(t('match.done', { brand }), matched ? matchedWords(matched, t) : undefined);
  else toast.error(t('match.failed', { brand }), t(`match.problem.${problem ?? 'error'}`));
}

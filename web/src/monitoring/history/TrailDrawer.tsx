import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type HistoryModel, type TrailEntry, type TrailNames, trailQuery } from '~/api/queries/history';
import { EmptyState } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import { HistoryDrawer, More } from './HistoryDrawer';
import styles from './history.module.css';
import { shownChanges } from './trailChanges';
import { useTrailValue } from './trailValue';
import { useWho } from './who';

interface Props {
  model: HistoryModel;
  id: number;
  /** What the row is called. */
  name: string;
  onClose(): void;
}

/** What was done to a row: who, when, and what it was before and is now, newest first. */
export function TrailDrawer({ model, id, name, onClose }: Props) {
  const { t } = useTranslation('history');
  const found = useInfiniteQuery(trailQuery(model, id));
  const pages = found.data?.pages ?? [];
  return (
    <HistoryDrawer title={t('trail.title', { name })} found={found} failed={t('trail.failed')} onClose={onClose}>
      {pages.every(({ data }) => data.length === 0) ? (
        <EmptyState icon={<IconHistory size={26} />} title={t('trail.none')} />
      ) : (
        <>
          <ol className={styles.trail}>
            {pages.flatMap(({ data, names }) =>
              data.map((entry) => (
                <li key={entry.id}>
                  <Entry entry={entry} names={names} />
                </li>
              )),
            )}
          </ol>
          <More found={found} />
        </>
      )}
    </HistoryDrawer>
  );
}

/** One entry: what was done, by whom and when, then each changed field. */
function Entry({ entry, names }: { entry: TrailEntry; names: TrailNames }) {
  const { t } = useTranslation('history');
  const fmt = useFormats();
  const who = useWho();
  const value = useTrailValue(names);
  const { link, event } = entry;
  const changes = shownChanges(entry.changes);
  return (
    <article>
      <h3 className={styles.event}>
        {link
          ? t(event === 'link' ? 'trail.linked' : 'trail.unlinked', {
              what: names[link.model]?.[link.id] ?? t(`trail.other.${link.relation}`, { defaultValue: '' }),
            })
          : t(`trail.event.${event}`, { defaultValue: '' })}
      </h3>
      <p className={styles.dim}>
        {who(entry.by)} · <time dateTime={entry.at}>{fmt.dateTime(entry.at)}</time>
      </p>
      {changes.length > 0 && (
        <dl className={styles.changes}>
          {changes.map(({ field, before, after }) => (
            <div key={field}>
              <dt>{t(`trail.field.${field}`, { defaultValue: field })}</dt>
              <dd>
                {event === 'create' ? (
                  value(field, after)
                ) : (
                  <>
                    <del>{value(field, before)}</del>
                    <span aria-hidden> → </span>
                    <span className="visually-hidden">{t('trail.becomes')}</span>
                    <ins>{value(field, after)}</ins>
                  </>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </article>
  );
}

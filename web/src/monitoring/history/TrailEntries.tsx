import { useTranslation } from 'react-i18next';
import type { TrailEntry, TrailNames } from '~/api/queries/history';
import { useFormats } from '~/ui/useFormats';
import styles from './history.module.css';
import { shownChanges } from './trailChanges';
import { useTrailValue } from './trailValue';
import { useWho } from './who';

/** Pages of a trail. */
interface Props {
  pages: readonly { data: readonly TrailEntry[]; names: TrailNames }[];
}

/** The entries of a trail in their order: what was done, by whom and when, then each changed field. */
export function TrailEntries({ pages }: Props) {
  return (
    <ol className={styles.trail}>
      {pages.flatMap(({ data, names }) =>
        data.map((entry) => (
          <li key={entry.id}>
            <Entry entry={entry} names={names} />
          </li>
        )),
      )}
    </ol>
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

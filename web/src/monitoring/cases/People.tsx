import { Tooltip } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { PresentPerson } from '~/api/queries/presence';
import { UserAvatar } from '~/ui/UserAvatar';
import styles from './People.module.css';

/** People that are shown by picture; the others are counted. */
const MOST_SHOWN = 3;

interface Props {
  people: readonly PresentPerson[];
  /** The side of a picture in pixels. */
  size?: number;
}

/** The others on the page of a case, with a pencil beside those that write. Nothing while nobody is there. */
export function People({ people, size = 26 }: Props) {
  const { t } = useTranslation('actions');
  if (people.length === 0) return null;
  // Those who write come first.
  const shown = [...people].sort((a, b) => Number(b.writes) - Number(a.writes));
  const said = ({ name, writes }: PresentPerson) => t(writes ? 'present.writes' : 'present.looks', { name });
  const rest = shown.slice(MOST_SHOWN);
  return (
    <ul className={styles.people} aria-label={t('present.label')}>
      {shown.slice(0, MOST_SHOWN).map((person) => (
        <li key={person.id} data-writes={person.writes || undefined}>
          <Tooltip label={said(person)}>
            <span className={styles.person}>
              <UserAvatar name={person.name} avatarId={null} size={size} />
              {person.writes && <IconPencil className={styles.pencil} size={13} aria-hidden />}
              <span className="visually-hidden">{said(person)}</span>
            </span>
          </Tooltip>
        </li>
      ))}
      {rest.length > 0 && (
        <li title={rest.map(said).join(', ')} className={styles.rest}>
          +{rest.length}
        </li>
      )}
    </ul>
  );
}

import { type UserRow, userName } from '~/api/queries/users';
import { UserAvatar } from '~/ui/UserAvatar';
import { UserLink } from './cells';
import { UserMenu } from './UserMenu';
import styles from './users.module.css';

const CARD_SIDE = 40;

/** A user on a narrow screen. */
export function UserCard({ row }: { row: UserRow }) {
  return (
    <article className={styles.card}>
      <UserAvatar name={userName(row)} avatarId={row.avatarId} size={CARD_SIDE} />
      <div className={styles.who}>
        <h2 className={styles.name}>{userName(row)}</h2>
        <UserLink row={row} />
        {row.company && <p className={styles.company}>{row.company}</p>}
      </div>
      <UserMenu row={row} />
    </article>
  );
}

import { Link } from '@tanstack/react-router';
import { type UserRow, userName } from '~/api/queries/users';
import { UserAvatar } from '~/ui/UserAvatar';
import { UndeliveredMark } from './Undelivered';
import styles from './users.module.css';

const CELL_SIDE = 28;

export const AvatarCell = ({ data }: { data?: UserRow }) =>
  data && (
    <span className={styles.avatarCell}>
      <UserAvatar name={userName(data)} avatarId={data.avatarId} size={CELL_SIDE} />
    </span>
  );

/** The address, which leads to the user. */
export function UserLink({ row }: { row: UserRow }) {
  return (
    <>
      <Link to="/users/$id" params={{ id: row.id }} className={styles.link}>
        {row.email}
      </Link>
      {row.undelivered && <UndeliveredMark mail={row.undelivered} />}
    </>
  );
}

export const EmailCell = ({ data }: { data?: UserRow }) => data && <UserLink row={data} />;

import { useState } from 'react';
import defaultAvatar from './default-avatar.svg';
import styles from './UserAvatar.module.css';

interface Props {
  name: string;
  /** File of the person's picture. */
  avatarId: string | null | undefined;
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');

/** A person's picture; initials when there is none, the default image when it cannot be loaded. Decoration beside the name. */
export function UserAvatar({ name, avatarId }: Props) {
  const [failed, setFailed] = useState(false);
  if (avatarId === null || avatarId === undefined) {
    return (
      <span className={styles.avatar} aria-hidden>
        {initials(name)}
      </span>
    );
  }
  const src = failed ? defaultAvatar : `/api/Files/${avatarId}/get`;
  return <img className={styles.avatar} src={src} alt="" width={32} height={32} onError={() => setFailed(true)} />;
}

import { type CSSProperties, useState } from 'react';
import styles from './avatar/avatar.module.css';
import defaultAvatar from './default-avatar.svg';

interface Props {
  name: string;
  /** File id of the picture. */
  avatarId: string | null | undefined;
  /** Width and height in pixels. */
  size?: number;
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');

/**
 * A user's picture: initials if there is none, the default image if it fails to load or there is no name either. Decorative: the name is
 * always beside it.
 */
export function UserAvatar({ name, avatarId, size = 32 }: Props) {
  const [failed, setFailed] = useState(false);
  const style = { '--avatar-size': `${size}px` } as CSSProperties;
  if (!avatarId && name !== '') {
    return (
      <span className={styles.avatar} style={style} aria-hidden>
        {initials(name)}
      </span>
    );
  }
  const src = avatarId && !failed ? `/api/Files/${avatarId}/get` : defaultAvatar;
  return (
    <img
      className={styles.avatar}
      style={style}
      src={src}
      alt=""
      width={size}
      height={size}
      onError={() => setFailed(true)}
    />
  );
}

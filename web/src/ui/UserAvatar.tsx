import { IconUser } from '@tabler/icons-react';
import { type CSSProperties, useState } from 'react';
import defaultAvatar from './default-avatar.svg';
import styles from './UserAvatar.module.css';

interface Props {
  name: string;
  /** File of the person's picture. */
  avatarId: string | null | undefined;
  /** Its side in pixels. */
  size?: number;
}

/** The part of the circle that a figure without a name takes. */
const ICON_SHARE = 0.55;

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');

/** A person's picture; initials when there is none, the default image when it cannot be loaded. Decoration beside the name. */
export function UserAvatar({ name, avatarId, size = 32 }: Props) {
  const [failed, setFailed] = useState<string>();
  const style = { '--avatar-size': `${size}px` } as CSSProperties;
  if (avatarId === null || avatarId === undefined) {
    return (
      <span className={styles.avatar} style={style} aria-hidden>
        {initials(name) || <IconUser size={size * ICON_SHARE} stroke={1.6} />}
      </span>
    );
  }
  const src = failed === avatarId ? defaultAvatar : `/api/Files/${avatarId}/get`;
  return (
    <img
      className={styles.avatar}
      style={style}
      src={src}
      alt=""
      width={size}
      height={size}
      onError={() => setFailed(avatarId)}
    />
  );
}

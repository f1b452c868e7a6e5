import { Tooltip } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';

interface Props {
  label: string;
  /** Shown without being asked for. */
  opened?: boolean;
  children: ReactNode;
}

/** A tooltip that is made when it is needed: lists have hundreds of places for one. */
export function Hint({ label, opened = false, children }: Props) {
  const place = useRef<HTMLSpanElement>(null);
  const [near, setNear] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what it holds is what is used
    <span
      ref={place}
      style={{ display: 'inline-flex' }}
      onMouseEnter={() => setNear(true)}
      onMouseLeave={() => setNear(false)}
      onFocus={() => setNear(true)}
      onBlur={() => setNear(false)}
    >
      {children}
      {(near || opened) && <Tooltip target={place} label={label} opened />}
    </span>
  );
}

import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';

interface Props {
  id: string;
  /** The accessible name. */
  label?: string;
  className?: string | undefined;
  children: string;
}

/** A link to the page of a case; other than by a plain click, the browser opens it as it does any link. */
export function CaseLink({ id, label, className, children }: Props) {
  const { history } = useRouter();
  const href = `/action/${id}`;
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(href);
  };
  return (
    <a className={className} href={href} aria-label={label} onClick={open}>
      {children}
    </a>
  );
}

import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import { forgetCaseOrders } from '~/api/queries/actions';
import { asOriginList } from './originList';

interface Props {
  id: string;
  /** The accessible name. */
  label?: string;
  className?: string | undefined;
  children: string;
}

/** A link to the page of a case, which leads back to this list; other than by a plain click, the browser opens it as it does any link. */
export function CaseLink({ id, label, className, children }: Props) {
  const router = useRouter();
  const queries = useQueryClient();
  const href = `/action/${id}`;
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    forgetCaseOrders(queries);
    const { pathname, search } = router.latestLocation;
    router.history.push(href, { originList: asOriginList(pathname, search) });
  };
  return (
    <a className={className} href={href} aria-label={label} onClick={open}>
      {children}
    </a>
  );
}

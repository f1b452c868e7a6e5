import { Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError, isUnreachable } from '~/api/errors';
import { meQuery } from '~/api/session';
import { ErrorPanel, UnreachablePanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import styles from './layouts.module.css';

/** Stands in for a screen that could not be opened; an error of the server is also told by its status code. */
export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const me = useQueryClient().getQueryState(meQuery.queryKey);
  useEffect(() => {
    if (error instanceof ApiError && error.status > 0) toast.error(String(error.status));
  }, [error]);
  const Panel = isUnreachable(error) ? UnreachablePanel : ErrorPanel;
  return (
    <Panel
      // What failed may be what every screen needs, such as the user: all of it is loaded again.
      onRetry={() => void router.invalidate()}
      // Without the user there is no header, and so no other way out.
      onSignOut={me?.status === 'error' ? () => void router.navigate({ to: '/logout' }) : undefined}
    />
  );
}

/** Shown while a screen takes longer than a moment to load. */
export function RoutePending() {
  return (
    <div className={styles.pending}>
      <Loader />
    </div>
  );
}

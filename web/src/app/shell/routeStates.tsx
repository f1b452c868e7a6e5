import { Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError, isUnreachable } from '~/api/errors';
import { meQuery } from '~/api/session';
import { ErrorPanel, UnreachablePanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import styles from './layouts.module.css';

/**
 * Replaces a screen that failed to load, with a button that loads all data of the route again, and one to sign out if the user could not be
 * loaded. A failure with a status code also raises a toast with it.
 */
export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const me = useQueryClient().getQueryState(meQuery.queryKey);
  useEffect(() => {
    if (error instanceof ApiError && error.status > 0) toast.error(String(error.status));
  }, [error]);
  const Panel = isUnreachable(error) ? UnreachablePanel : ErrorPanel;
  return (
    <Panel
      // Reloads everything: the failure may be in data every screen needs, such as the user.
      onRetry={() => void router.invalidate()}
      // Without the user there is no header, and no other way to sign out.
      onSignOut={me?.status === 'error' ? () => void router.navigate({ to: '/logout' }) : undefined}
    />
  );
}

/** Shown once a screen takes noticeably long to load. */
export function RoutePending() {
  return (
    <div className={styles.pending}>
      <Loader />
    </div>
  );
}

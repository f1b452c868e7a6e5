import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError } from '~/api/errors';
import { ErrorPanel } from '~/ui/ErrorPanel';
import { toast } from '~/ui/toast';

/** Stands in for a screen that could not be opened; an error of the server is also told by its status code. */
export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  useEffect(() => {
    if (error instanceof ApiError && error.status > 0) toast.error(String(error.status));
  }, [error]);
  // What failed may be what every screen needs, such as the user: all of it is loaded again.
  return <ErrorPanel onRetry={() => void router.invalidate()} />;
}

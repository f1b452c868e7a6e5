import { Loader, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { logout } from '~/api/session';
import { ErrorPanel } from '~/ui/ErrorPanel';

/** Signs out, then goes to sign-in. */
export function Logout() {
  const { t } = useTranslation('login');
  const queries = useQueryClient();
  // A query and not a mutation: opening the page is the request, and it must run once however often it renders.
  const leaving = useQuery({
    queryKey: ['logout'],
    queryFn: () => logout(queries).then(() => true),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  if (leaving.isError) return <ErrorPanel onRetry={() => leaving.refetch()} />;
  if (leaving.isSuccess) return <Navigate to="/login" replace />;
  return (
    <Stack align="center">
      <Loader />
      <h1 tabIndex={-1}>{t('signingOut')}</h1>
    </Stack>
  );
}

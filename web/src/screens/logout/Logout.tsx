import { Loader, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { logout } from '~/api/session';
import { ErrorPanel } from '~/ui/feedback';

/** Signs out when it mounts and opens the sign-in page, which replaces this one in the history. A failure shows an error panel with a retry. */
export function Logout() {
  const { t } = useTranslation('login');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [failed, setFailed] = useState(false);

  const leave = useCallback(async () => {
    setFailed(false);
    try {
      await logout(queries);
      await navigate({ to: '/login', replace: true });
    } catch {
      setFailed(true);
    }
  }, [queries, navigate]);

  // Signing out is idempotent: a second run of the effect does no harm.
  useEffect(() => void leave(), [leave]);

  if (failed) return <ErrorPanel onRetry={leave} />;
  return (
    <Stack align="center">
      <Loader />
      <h1 tabIndex={-1}>{t('signingOut')}</h1>
    </Stack>
  );
}

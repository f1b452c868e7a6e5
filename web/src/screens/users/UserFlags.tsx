import { Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { FLAGS, giveFlag, userFlagsQuery } from '~/api/flags';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './users.module.css';

/** The features of a user beyond those of the roles. Each is saved as it is switched. */
export function UserFlags({ id }: { id: string }) {
  const { t } = useTranslation('users');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { data, isError } = useQuery(userFlagsQuery(id));
  const give = useMutation({
    mutationFn: giveFlag,
    onSuccess: (flags, { on }) => {
      queries.setQueryData(userFlagsQuery(id).queryKey, flags);
      void queries.invalidateQueries({ queryKey: ['flags', Number(id)] });
      toast.success(t(on ? 'flags.on' : 'flags.off'));
    },
    onError: (error) => toast.error(errorText(error, common)),
  });
  return (
    <section className={styles.panel} aria-labelledby="user-flags">
      <h2 id="user-flags" className={styles.section}>
        {t('flags.title')}
      </h2>
      {isError && <Text size="sm">{t('flags.failed')}</Text>}
      <Stack gap="sm">
        {FLAGS.map((key) => {
          const flag = data?.find((one) => one.key === key);
          return (
            <Switch
              key={key}
              label={t(`flags.${key}`)}
              description={flag?.byRole ? t('flags.byRole') : undefined}
              checked={flag ? flag.byRole || flag.byName : false}
              disabled={!flag || flag.byRole || give.isPending}
              onChange={({ currentTarget }) => give.mutate({ id, key, on: currentTarget.checked })}
            />
          );
        })}
      </Stack>
    </section>
  );
}

import { Button } from '@mantine/core';
import { IconFilterOff, IconSearchOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '~/ui/EmptyState';
import { ErrorPanel, TooManyPanel, UnreachablePanel } from '~/ui/ErrorPanel';

type Props =
  | { kind: 'empty'; filtered: boolean; onReset: () => void }
  | { kind: 'noMatch'; text: string; onClear: () => void }
  | { kind: 'error' | 'tooMany' | 'unreachable'; onRetry: () => void };

/** What stands in a list's place when there are no rows to show. */
export function ListState(props: Props) {
  const { t } = useTranslation('list');
  switch (props.kind) {
    case 'empty':
      return (
        <EmptyState
          icon={<IconFilterOff size={26} />}
          title={t('emptyTitle')}
          text={props.filtered ? t('emptyText') : t('emptyAll')}
          action={
            props.filtered && (
              <Button variant="default" onClick={props.onReset}>
                {t('resetFilters')}
              </Button>
            )
          }
        />
      );
    case 'noMatch':
      return (
        <EmptyState
          icon={<IconSearchOff size={26} />}
          title={t('noMatch', { text: props.text })}
          action={
            <Button variant="default" onClick={props.onClear}>
              {t('clearSearch')}
            </Button>
          }
        />
      );
    case 'tooMany':
      return <TooManyPanel />;
    case 'unreachable':
      return <UnreachablePanel onRetry={props.onRetry} />;
    case 'error':
      return <ErrorPanel onRetry={props.onRetry} />;
  }
}

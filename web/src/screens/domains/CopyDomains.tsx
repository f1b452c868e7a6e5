import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { DomainRow } from '~/api/queries/domains';
import { useCopy } from '~/ui/buttons';

/** Copies the names of the selected domains, one a line. */
export function CopyDomains({ rows }: { rows: readonly DomainRow[] }) {
  const { t } = useTranslation('list');
  const { state, copy } = useCopy();
  return (
    <Button size="compact-sm" onClick={() => copy(rows.map((row) => row.domain).join('\n'))}>
      <span aria-live="polite">
        {state === 'failed' ? t('copyFailed') : state === 'copied' ? t('copied') : t('copy')}
      </span>
    </Button>
  );
}

import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { allows, type CaseRow } from '~/api/queries/actions';
import type { BulkProps } from '~/list/types';
import { taggableCases } from '~/monitoring/cases/taggableCases';
import { BulkTags } from '~/monitoring/tags/Tags';
import { ACTS } from './acts';
import { useGroupChange } from './useGroupChange';

/** Buttons that change the selected cases or their tags. A change that none of them allows is disabled; the others say which they refused. */
export function CaseBulk({ rows, whole, onDone }: BulkProps<CaseRow>) {
  const { t } = useTranslation('advertisers');
  const { mutate, isPending, variables } = useGroupChange(onDone);
  return (
    <>
      {ACTS.map(({ act, Icon }) => (
        <Button
          key={act}
          size="compact-sm"
          variant="default"
          leftSection={<Icon size={14} aria-hidden />}
          disabled={isPending || (!whole && !rows.some((row) => allows(row, act)))}
          loading={isPending && variables.act === act}
          onClick={() => mutate({ act, rows, where: whole?.where })}
        >
          <span className="sentence">{t(`act.${act}`)}</span>
        </Button>
      ))}
      {!whole && <BulkTags rows={rows} taggable={taggableCases} onDone={onDone} />}
    </>
  );
}

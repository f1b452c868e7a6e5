import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { CaseRow } from '~/api/queries/actions';
import type { GroupAct } from '~/api/queries/advertisers';
import { useMe } from '~/api/session';
import { useKeys } from '~/list/cards/useKeys';
import type { KeyProps } from '~/list/types';
import { taggableCases } from '~/monitoring/cases/taggableCases';
import { lazyPart } from '~/ui/lazyPart';
import { useGroupChange } from './useGroupChange';

const TagModal = lazyPart(() => import('~/monitoring/tags/TagModal').then((module) => module.TagModal), {
  texts: ['monitoring', 'list', 'tags'],
});

/** What the keys of the lists of cases do, for their help. */
export const KEY_HELP = [
  ['m', 'actions:keys.request'],
  ['i', 'actions:keys.ignore'],
  ['t', 'actions:keys.tags'],
  ['g a', 'actions:keys.goActions'],
  ['g t', 'actions:keys.goTodo'],
] as const;

/** Hears the keys of the lists of cases: they change the selected cases, or else the one in focus, and lead to the two lists. */
export function CaseKeys({ target, onDone }: KeyProps<CaseRow>) {
  const navigate = useNavigate();
  const [tagging, setTagging] = useState<readonly CaseRow[]>([]);
  const { mutate, isPending } = useGroupChange(onDone);
  const change = (act: GroupAct) => {
    const rows = target();
    if (rows.length > 0 && !isPending) mutate({ act, rows });
  };
  useKeys(useMe().id, {
    m: () => change('request'),
    i: () => change('ignore'),
    t: () => setTagging(target()),
    'g a': () => void navigate({ to: '/actions' }),
    'g t': () => void navigate({ to: '/todo' }),
  });
  if (tagging.length === 0) return null;
  return <TagModal rows={tagging} taggable={taggableCases} onClose={() => setTagging([])} />;
}

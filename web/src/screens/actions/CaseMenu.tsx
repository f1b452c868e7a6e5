import { Menu } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { allows, type CaseRow, followCaseLink, LINK_OF } from '~/api/queries/actions';
import { place } from '~/list/cards/place';
import { taggableCases } from '~/monitoring/cases/taggableCases';
import { RowMenu } from '~/ui/buttons';
import { errorText } from '~/ui/errorText';
import { lazyPart } from '~/ui/lazyPart';
import { toast } from '~/ui/toast';
import { ACTS } from './acts';

const TagModal = lazyPart(() => import('~/monitoring/tags/TagModal').then((module) => module.TagModal), {
  texts: ['monitoring', 'list', 'tags'],
});

/** The menu of a case: the changes that the server offers for it, and its tags. Failures raise a toast. */
export function CaseMenu({ row }: { row: CaseRow }) {
  const { t } = useTranslation(['actions', 'advertisers', 'monitoring']);
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [tagging, setTagging] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: (act: (typeof ACTS)[number]['act']) => {
      const link = row.links[LINK_OF[act]];
      return link ? followCaseLink(queries, row, link) : Promise.resolve();
    },
    onSuccess: () => place.clear(),
    onError: (error) => toast.error(common('generic.error'), errorText(error, common)),
  });
  return (
    <>
      <RowMenu label={t('card.menu', { domain: row.domain })}>
        {ACTS.filter(({ act }) => allows(row, act)).map(({ act, Icon }) => (
          <Menu.Item key={act} leftSection={<Icon size={16} />} disabled={isPending} onClick={() => mutate(act)}>
            <span className="sentence">{t(`advertisers:act.${act}`)}</span>
          </Menu.Item>
        ))}
        <Menu.Item leftSection={<IconTag size={16} />} onClick={() => setTagging(true)}>
          {t('monitoring:column.tags')}
        </Menu.Item>
      </RowMenu>
      {tagging && <TagModal rows={[row]} taggable={taggableCases} onClose={() => setTagging(false)} />}
    </>
  );
}

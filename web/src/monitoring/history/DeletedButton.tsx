import { ActionIcon, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import type { QueryKey } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { HistoryModel } from '~/api/queries/history';
import { lazyPart } from '~/ui/lazyPart';

const DeletedDrawer = lazyPart(() => import('./DeletedDrawer').then((module) => module.DeletedDrawer));

interface Props {
  model: HistoryModel;
  /** Keys of the queries that show rows of the model. */
  changes: readonly QueryKey[];
}

/** The button that opens what was deleted of a model. Checks no rights: render it only for users who may delete such rows. */
export function DeletedButton({ model, changes }: Props) {
  const { t } = useTranslation('common');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Tooltip label={t('deleted')}>
        <ActionIcon variant="default" size={36} aria-label={t('deleted')} onClick={open}>
          <IconTrash size={16} />
        </ActionIcon>
      </Tooltip>
      {opened && <DeletedDrawer model={model} changes={changes} onClose={close} />}
    </>
  );
}

import { ActionIcon, Badge, Button, Checkbox, Popover, Stack, TextInput, Tooltip } from '@mantine/core';
import { IconBookmark, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { removeView, type SavedView, savedViewsQuery, saveView } from '~/api/queries/savedViews';
import { useMe } from '~/api/session';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './SavedViews.module.css';

const MAX_NAME_LENGTH = 80;

interface Props {
  path: string;
  /** The current state, which a new view stores. */
  now(): { search: Record<string, unknown>; columns: Record<string, unknown> };
  onOpen(view: SavedView): void;
}

/**
 * A button that lists the named states of a list, the user's own and those shared by colleagues: `onOpen` gets the chosen one. The present
 * state can be saved as another, and an own one removed after a confirmation.
 */
export function SavedViews({ path, now, onOpen }: Props) {
  const { t } = useTranslation('list');
  const [opened, setOpened] = useState(false);
  const [removing, setRemoving] = useState<SavedView>();
  return (
    <>
      <Popover position="bottom-end" trapFocus width={320} opened={opened} onChange={setOpened}>
        <Popover.Target>
          <Tooltip label={t('views.title')}>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t('views.title')}
              aria-expanded={opened}
              onClick={() => setOpened(!opened)}
            >
              <IconBookmark size={18} />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown>
          {opened && (
            <SavedViewsPanel
              path={path}
              now={now}
              onOpen={(view) => {
                setOpened(false);
                onOpen(view);
              }}
              onRemove={(view) => {
                setOpened(false);
                setRemoving(view);
              }}
            />
          )}
        </Popover.Dropdown>
      </Popover>
      {removing && (
        <ConfirmModal
          danger
          title={t('views.removeTitle')}
          text={t(removing.shared ? 'views.removeShared' : 'views.removeText', { name: removing.name })}
          confirm={t('views.remove', { name: removing.name })}
          act={() => removeView(removing.id)}
          done={t('views.removed')}
          changes={[savedViewsQuery(path).queryKey]}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

/** The views of a list and a form that saves the present state as another; an own view of the same name is replaced. Toasts the outcome. */
function SavedViewsPanel({ path, now, onOpen, onRemove }: Props & { onRemove(view: SavedView): void }) {
  const { t } = useTranslation('list');
  const common = useTranslation('common').t;
  const me = useMe();
  const queries = useQueryClient();
  const views = useQuery(savedViewsQuery(path));
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const save = useMutation({
    mutationFn: () => saveView({ name: name.trim(), path, shared, ...now() }),
    onSuccess: () => {
      setName('');
      toast.success(t('views.saved'));
      return queries.invalidateQueries({ queryKey: savedViewsQuery(path).queryKey });
    },
    onError: (error: Error) => toast.error(errorText(error, common)),
  });
  return (
    <Stack gap="sm">
      {views.data?.length === 0 && <p className={styles.none}>{t('views.none')}</p>}
      {views.isError && <p role="alert">{t('views.failed')}</p>}
      <ul className={styles.views} aria-label={t('views.title')}>
        {views.data?.map((view) => (
          <li key={view.id} className={styles.view}>
            <button type="button" className={styles.open} onClick={() => onOpen(view)}>
              <span className={styles.name}>{view.name}</span>
              {!view.own && <span className={styles.owner}>{t('views.by', { name: view.owner })}</span>}
            </button>
            {view.shared && (
              <Badge size="xs" variant="light" radius="sm">
                {t('views.shared')}
              </Badge>
            )}
            {view.own && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={t('views.remove', { name: view.name })}
                onClick={() => onRemove(view)}
              >
                <IconTrash size={15} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') save.mutate();
        }}
      >
        <TextInput
          size="xs"
          label={t('views.name')}
          maxLength={MAX_NAME_LENGTH}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {me.companyAccount && (
          <Checkbox
            size="xs"
            label={t('views.share')}
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
        )}
        <Button type="submit" size="xs" disabled={name.trim() === ''} loading={save.isPending}>
          {t('views.save')}
        </Button>
      </form>
    </Stack>
  );
}

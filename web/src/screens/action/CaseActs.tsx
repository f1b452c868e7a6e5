import { Button, Menu, Textarea } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerLink } from '~/api/links';
import { type CaseRow, changeCase, isRefusedChange } from '~/api/queries/actions';
import { place } from '~/list/cards/place';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Action.module.css';
import { ACTS, type Act, type AskedAct } from './acts';

/** Acts that are buttons; the others are in the menu. */
const MOST_BUTTONS = 3;

/** Characters of a comment, as many as the server takes. */
const LONGEST_COMMENT = 5_000;

/** The server's body of a notification by other means. */
const byOtherMeans = (comments: string) => ({ manual: true, ...(comments.trim() !== '' && { comments }) });

/** A change with the link that it was offered by. */
interface Change {
  act: Act['act'];
  link: ServerLink;
  comments?: string;
}

/**
 * Makes a change of a case and says that it is done. Where the status has changed meanwhile, that is said instead; throws when it fails otherwise.
 */
function useChange(row: CaseRow) {
  const { t } = useTranslation('actions');
  const queries = useQueryClient();
  return async ({ act, link, comments = '' }: Change) => {
    try {
      await changeCase(queries, row, link, act === 'inprogress' ? byOtherMeans(comments) : undefined);
      toast.success(t(act === 'inprogress' ? 'notifiedOk' : 'statusOk'));
    } catch (error) {
      if (!isRefusedChange(error)) throw error;
      toast.warning(t('changedMeanwhile'));
    } finally {
      place.clear();
    }
  };
}

/** The changes that the server offers for a case: the first as buttons, the others in a menu; the weighty ones are confirmed first. */
export function CaseActs({ row }: { row: CaseRow }) {
  const { t } = useTranslation('actions');
  const common = useTranslation('common').t;
  const change = useChange(row);
  const [asked, setAsked] = useState<{ act: AskedAct; link: ServerLink }>();
  const { mutate, isPending } = useMutation({
    mutationFn: change,
    onError: (error) => toast.error(t('statusFailed'), errorText(error, common)),
  });
  const offered = ACTS.flatMap((one) => {
    const link = row.links[one.link];
    if (!link) return [];
    const run = () => (one.asks ? setAsked({ act: one.act, link }) : mutate({ act: one.act, link }));
    return [{ ...one, run }];
  });
  const [buttons, others] = [offered.slice(0, MOST_BUTTONS), offered.slice(MOST_BUTTONS)];
  return (
    <div className={styles.acts}>
      {buttons.map(({ act, Icon, run }) => (
        <Button
          key={act}
          size="compact-md"
          variant="default"
          leftSection={<Icon size={16} aria-hidden />}
          disabled={isPending}
          onClick={run}
        >
          <span className="sentence">{t(`act.${act}`)}</span>
        </Button>
      ))}
      {others.length > 0 && (
        <Menu position="bottom-end" width="max-content">
          <Menu.Target>
            <Button size="compact-md" variant="default" aria-label={t('page.more')}>
              <IconDots size={18} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map(({ act, Icon, run }) => (
              <Menu.Item key={act} leftSection={<Icon size={16} />} disabled={isPending} onClick={run}>
                <span className="sentence">{t(`act.${act}`)}</span>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {asked && <Confirmation {...asked} change={change} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

interface ConfirmationProps {
  act: AskedAct;
  link: ServerLink;
  change(change: Change): Promise<void>;
  onClose(): void;
}

/** Says what an act does before it is done; a notification by other means takes a comment. */
function Confirmation({ act, link, change, onClose }: ConfirmationProps) {
  const { t } = useTranslation('actions');
  const [comments, setComments] = useState('');
  const notifies = act === 'inprogress';
  return (
    <ConfirmModal
      title={t(`question.${act}`)}
      text={t(`effect.${act}`)}
      confirm={<span className="sentence">{notifies ? t('markAsNotified') : t(`act.${act}`)}</span>}
      act={() => change({ act, link, comments })}
      {...(!notifies && { failed: t('statusFailed') })}
      onClose={onClose}
    >
      {notifies && (
        <Textarea
          mt="md"
          label={t('comments')}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={LONGEST_COMMENT}
          value={comments}
          onChange={(event) => setComments(event.currentTarget.value)}
        />
      )}
    </ConfirmModal>
  );
}

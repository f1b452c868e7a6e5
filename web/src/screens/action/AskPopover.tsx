import { Button, Group, Popover, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerLink } from '~/api/links';
import type { CaseRow } from '~/api/queries/actions';
import { errorText } from '~/ui/errorText';
import { ModalFrame } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import styles from './Action.module.css';
import { type AskedAct, TAKEN_BACK_BY } from './acts';
import { useChange } from './useChange';

/** Characters of a comment, as many as the server takes. */
const LONGEST_COMMENT = 5_000;

/** The server's body of a notification by other means. */
const byOtherMeans = (comments: string) => ({ manual: true, ...(comments.trim() !== '' && { comments }) });

interface Props {
  row: CaseRow;
  /** The act that is asked about; nothing is open without one. */
  act: AskedAct | undefined;
  onClose(): void;
  /** What the question points at. */
  children: ReactNode;
}

/**
 * Says in one sentence what an act does before it is done; Enter confirms. A notification by other means takes a comment and is asked about in a modal, the
 * others beside the button.
 */
export function AskPopover({ row, act, onClose, children }: Props) {
  const { t } = useTranslation('actions');
  const link = act && row.links[act];
  const beside = link && act !== 'inprogress' ? { act, link } : undefined;
  return (
    <>
      <Popover
        opened={beside !== undefined}
        onChange={(opened) => !opened && onClose()}
        position="bottom-end"
        width={320}
        withArrow
        // Keys that follow at once are the page's again.
        transitionProps={{ duration: 0 }}
        trapFocus
        returnFocus
        withRoles={false}
      >
        <Popover.Target>
          <span className={styles.anchor}>{children}</span>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label={beside && t(`question.${beside.act}`)}>
          {beside && (
            <>
              <p className={styles.question}>{t(`question.${beside.act}`)}</p>
              <Question row={row} {...beside} onClose={onClose} />
            </>
          )}
        </Popover.Dropdown>
      </Popover>
      {link && !beside && <NotifiedModal row={row} link={link} onClose={onClose} />}
    </>
  );
}

/** Takes the comment of a notification by other means. */
function NotifiedModal({ row, link, onClose }: { row: CaseRow; link: ServerLink; onClose(): void }) {
  const { t } = useTranslation('actions');
  return (
    <ModalFrame title={t('question.inprogress')} onClose={onClose}>
      <Question row={row} act="inprogress" link={link} onClose={onClose} />
    </ModalFrame>
  );
}

interface QuestionProps {
  row: CaseRow;
  act: AskedAct;
  link: ServerLink;
  onClose(): void;
}

/** The effect of an act, and the buttons. A failure leaves it open. */
function Question({ row, act, link, onClose }: QuestionProps) {
  const { t } = useTranslation(['action', 'actions']);
  const common = useTranslation('common').t;
  const change = useChange(row);
  const [comments, setComments] = useState('');
  const notifies = act === 'inprogress';
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      change({
        link,
        body: notifies ? byOtherMeans(comments) : undefined,
        done: t(notifies ? 'actions:notifiedOk' : 'actions:statusOk'),
        takenBackBy: TAKEN_BACK_BY[act],
      }),
    onSuccess: onClose,
    onError: (error) =>
      notifies
        ? toast.error(errorText(error, common))
        : toast.error(t('actions:statusFailed'), errorText(error, common)),
  });
  const confirmByKey = ({ key, ctrlKey, metaKey }: KeyboardEvent) => {
    if (key === 'Enter' && (ctrlKey || metaKey) && !isPending) mutate();
  };
  return (
    <>
      <p className={styles.effect}>{t(`actions:effect.${act}`)}</p>
      {notifies && (
        <Textarea
          mt="md"
          label={t('actions:comments')}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={LONGEST_COMMENT}
          value={comments}
          data-autofocus
          onKeyDown={confirmByKey}
          onChange={(event) => setComments(event.currentTarget.value)}
        />
      )}
      <Group justify="flex-end" gap="xs" mt="md">
        <Button size={notifies ? 'sm' : 'compact-md'} fz={14} variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button
          size={notifies ? 'sm' : 'compact-md'}
          fz={14}
          loading={isPending}
          {...(!notifies && { 'data-autofocus': true })}
          onClick={() => mutate()}
        >
          <span className="sentence">{notifies ? t('actions:markAsNotified') : t(`actions:act.${act}`)}</span>
        </Button>
      </Group>
    </>
  );
}

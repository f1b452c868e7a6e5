import { Button, Loader } from '@mantine/core';
import { IconPlus, IconTemplate } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type MailTemplate, mailTemplatesQuery } from '~/api/queries/mailTemplates';
import { isAdmin, useMe } from '~/api/session';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import styles from './MailTemplates.module.css';
import { TemplateList } from './TemplateList';

const TemplateEditor = lazyPart(() => import('./TemplateEditor').then((module) => module.TemplateEditor), {
  waiting: <Loader size="sm" />,
});

/** The list with a template as it was saved: in the place of its version before, or at the end. */
const withSaved = (templates: readonly MailTemplate[], saved: MailTemplate): MailTemplate[] =>
  templates.some(({ firstId }) => firstId === saved.firstId)
    ? templates.map((one) => (one.firstId === saved.firstId ? { ...one, ...saved } : one))
    : [...templates, saved];

/**
 * The templates of the mails to advertisers: a list, and the chosen one with its preview. Administrators write, operators read. A changed text is not left
 * without a question.
 */
export function MailTemplates() {
  const { t } = useTranslation('mailTemplates');
  const common = useTranslation('common').t;
  const mayWrite = isAdmin(useMe());
  const { data: templates, isError, refetch } = useQuery(mailTemplatesQuery);
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<number | 'new'>();
  const [isDirty, setDirty] = useState(false);
  const [wanted, setWanted] = useState<number | 'new'>();
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const found = templates?.find(({ firstId }) => firstId === chosen) ?? (chosen === 'new' ? undefined : templates?.[0]);
  // A version that somebody else saves meanwhile takes no text under way from its author.
  const [shown, setShown] = useState(found);
  if (!isDirty && shown !== found) setShown(found);
  const languages = new Set(templates?.map(({ language }) => language)).size;
  const isShown = (one: number | 'new') => one === (chosen === 'new' ? 'new' : shown?.firstId);
  const choose = (next: number | 'new') => {
    if (isShown(next)) return;
    if (isDirty) setWanted(next);
    else setChosen(next);
  };
  const stay = () => {
    setWanted(undefined);
    leaving.reset?.();
  };
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.mailTemplates')}
        </h1>
        {templates && (
          <span className={styles.dim}>
            {t('count', { count: templates.length })} · {t('languages', { count: languages })}
          </span>
        )}
        {mayWrite && (
          <Button
            className={styles.add}
            variant="default"
            leftSection={<IconPlus size={16} />}
            onClick={() => choose('new')}
          >
            {t('add')}
          </Button>
        )}
      </header>
      {!templates && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {templates && (
        <div className={styles.columns}>
          <TemplateList templates={templates} chosen={shown?.firstId} onChoose={choose} />
          {shown || chosen === 'new' ? (
            <TemplateEditor
              key={chosen === 'new' ? 'new' : shown?.id}
              template={chosen === 'new' ? undefined : shown}
              mayWrite={mayWrite}
              onDirty={setDirty}
              onSaved={(saved) => {
                queries.setQueryData(mailTemplatesQuery.queryKey, (before) => before && withSaved(before, saved));
                setChosen(saved.firstId);
              }}
              onPutAway={() => {
                setDirty(false);
                setChosen(undefined);
              }}
            />
          ) : (
            <EmptyState icon={<IconTemplate size={26} />} title={t('none')} />
          )}
        </div>
      )}
      {(wanted !== undefined || leaving.status === 'blocked') && (
        <ConfirmModal
          danger
          title={t('leaveTitle')}
          text={t('leaveText')}
          confirm={t('leave')}
          act={async () => {
            if (wanted !== undefined) {
              setDirty(false);
              setChosen(wanted);
            }
            leaving.proceed?.();
          }}
          onClose={stay}
        />
      )}
    </div>
  );
}

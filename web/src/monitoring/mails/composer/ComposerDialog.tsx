import { useTranslation } from 'react-i18next';
import type { CaseTemplate } from '~/api/queries/caseMails';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { lazyPart } from '~/ui/lazyPart';
import type { Writing } from './localDraft';
import { useOtherWritersText } from './OtherWritersLine';
import type { OtherWriters } from './useOtherWriters';
import type { SendOrder } from './useSend';

const TemplatesModal = lazyPart(() => import('./TemplatesModal').then((module) => module.TemplatesModal));
const SendLaterModal = lazyPart(() => import('./SendLaterModal').then((module) => module.SendLaterModal));

/** What the composer asks in a dialog; before sending with what was to be sent. */
export type Asked =
  | 'templates'
  | 'later'
  | 'discard'
  | { forgottenFile: SendOrder }
  | { otherWriters: OtherWriters; order: SendOrder };

interface Props {
  asked: Asked;
  caseId: string;
  writing: Writing;
  sending: boolean;
  onUse(template: CaseTemplate, place: 'replace' | 'above'): void;
  onSend(order: SendOrder): void;
  onDiscard(): Promise<void>;
  onClose(): void;
}

/** The dialog of the composer. */
export function ComposerDialog({ asked, caseId, writing, sending, onUse, onSend, onDiscard, onClose }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const otherWritersText = useOtherWritersText();
  switch (asked) {
    case 'templates':
      return (
        <TemplatesModal
          caseId={caseId}
          language={writing.language}
          typed={writing.body.trim() !== ''}
          onUse={onUse}
          onClose={onClose}
        />
      );
    case 'later':
      return (
        <SendLaterModal
          saving={sending}
          onSend={(sendAt) => onSend({ after: null, sendAt, next: false })}
          onClose={onClose}
        />
      );
    case 'discard':
      return (
        <ConfirmModal
          title={t('draft.discardTitle')}
          text={t('draft.discardText')}
          confirm={t('draft.discard')}
          danger
          act={onDiscard}
          onClose={onClose}
        />
      );
    default:
      if ('otherWriters' in asked) {
        return (
          <ConfirmModal
            title={t('otherWriters.title')}
            text={`${otherWritersText(asked.otherWriters) ?? ''} ${t('otherWriters.text')}`}
            confirm={t('otherWriters.send')}
            act={async () => onSend(asked.order)}
            onClose={onClose}
          />
        );
      }
      return (
        <ConfirmModal
          title={t('forgotten.title')}
          text={t('forgotten.text')}
          confirm={t('forgotten.send')}
          act={async () => onSend(asked.forgottenFile)}
          onClose={onClose}
        />
      );
  }
}

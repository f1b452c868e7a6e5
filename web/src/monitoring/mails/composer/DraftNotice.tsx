import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCloud, IconCloudCheck, IconCloudOff, IconMailDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '~/ui/useFormats';
import styles from './composer.module.css';
import type { DraftState, Saving } from './useDraft';

/** Says how far the draft is saved. */
export function SavingState({ saving, savedAt }: { saving: Saving; savedAt: string | undefined }) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  if (saving === 'blank' || saving === 'newer') return null;
  const isSaved = saving === 'saved' && savedAt !== undefined;
  const Mark = isSaved ? IconCloudCheck : saving === 'failed' || saving === 'offline' ? IconCloudOff : IconCloud;
  return (
    <span className={styles.saving} data-saving={saving} role="status">
      <Mark size={16} aria-hidden />
      {isSaved ? t('draft.savedAt', { time: fmt.time(Date.parse(savedAt)) }) : t(`draft.${saving}`)}
    </span>
  );
}

/** Two tabs wrote: says so, and offers both texts. Shows nothing otherwise. */
export function OtherDraft({ draft }: { draft: DraftState }) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  if (!draft.other) return null;
  const newer = draft.saving === 'newer';
  return (
    <div className={styles.notice} role="alert">
      <IconAlertTriangle size={17} aria-hidden />
      <p>
        {newer && draft.savedAt
          ? t('draft.newer', { time: fmt.time(Date.parse(draft.savedAt)) })
          : t('draft.otherKept')}
      </p>
      <Button size="compact-sm" variant="default" onClick={draft.exchange}>
        {t(newer ? 'draft.showNewer' : 'draft.showOther')}
      </Button>
      {newer && (
        <Button size="compact-sm" variant="default" onClick={draft.keepMine}>
          {t('draft.keepMine')}
        </Button>
      )}
    </div>
  );
}

/** Says that a mail came while this one was written, and leads to it. */
export function Arrived({ replied, onShow }: { replied: boolean; onShow(): void }) {
  const { t } = useTranslation('mailsOfCases');
  return (
    <div className={styles.notice} role="alert">
      <IconMailDown size={17} aria-hidden />
      <p>{t(replied ? 'arrived.reply' : 'arrived.own')}</p>
      <Button size="compact-sm" variant="default" onClick={onShow}>
        {t('arrived.show')}
      </Button>
    </div>
  );
}

import { Button, Loader } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AlertText, alertsKey, alertTextsQuery, removeAlertText } from '~/api/queries/alerts';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { ErrorPanel } from '~/ui/feedback';
import { ModalFrame } from '~/ui/form/FormModal';
import styles from './Alerts.module.css';
import { AlertTextForm } from './AlertTextForm';

const WIDTH = 980;

interface Props {
  onClose(): void;
}

/** The texts that alerts can have in place of Vigie's own, and a form for each. */
export function AlertTexts({ onClose }: Props) {
  const { t } = useTranslation('alerts');
  const { data, isError, refetch } = useQuery(alertTextsQuery(null));
  const [edited, setEdited] = useState<{ text: AlertText | undefined }>();
  const [leaving, setLeaving] = useState<AlertText>();
  if (edited) {
    return (
      <ModalFrame title={edited.text?.label ?? t('texts.add')} onClose={onClose} size={WIDTH}>
        <AlertTextForm text={edited.text} onDone={() => setEdited(undefined)} />
      </ModalFrame>
    );
  }
  return (
    <ModalFrame title={t('texts.title')} onClose={onClose} size={WIDTH}>
      <p className={styles.dim}>{t('texts.intro')}</p>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {data?.length === 0 && <p>{t('texts.none')}</p>}
      {data && data.length > 0 && (
        <ul className={styles.texts} aria-label={t('texts.title')}>
          {data.map((text) => (
            <li key={text.id} className={styles.text}>
              <span className={styles.textName}>
                <strong>{text.label}</strong>
                <span className={styles.dim}>
                  {[
                    t(text.language === 'fr' ? 'texts.languageOf.fr' : 'texts.languageOf.en'),
                    text.brandLabel ?? t('texts.allBrands'),
                    t('texts.version', { number: text.version }),
                    t('texts.alerts', { count: text.alerts }),
                  ].join(' · ')}
                </span>
              </span>
              <Button
                size="compact-md"
                variant="default"
                aria-label={t('texts.changeOf', { name: text.label })}
                onClick={() => setEdited({ text })}
              >
                {t('change')}
              </Button>
              <Button
                size="compact-md"
                variant="default"
                aria-label={t('texts.removeOf', { name: text.label })}
                onClick={() => setLeaving(text)}
              >
                {t('texts.remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited({ text: undefined })}>
        {t('texts.add')}
      </Button>
      {leaving && (
        <ConfirmModal
          title={t('texts.removeTitle', { name: leaving.label })}
          text={t('texts.removeText')}
          confirm={t('texts.remove')}
          danger
          act={() => removeAlertText(leaving.id)}
          done={t('texts.removed')}
          changes={[alertsKey]}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </ModalFrame>
  );
}

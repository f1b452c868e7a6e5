import { ActionIcon, Button, Loader } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLink, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type GoogleItem,
  type GoogleKeyword,
  googleKey,
  googleKeywordsQuery,
  unmapKeyword,
} from '~/api/queries/google';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { ErrorPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import { Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import styles from './GoogleConnect.module.css';

const KeywordsModal = lazyPart(() => import('./KeywordsModal').then((module) => module.KeywordsModal));

/** The mapped keywords of an account with their countries; each can be taken off, with its data. */
export function ItemKeywords({ item }: { item: GoogleItem }) {
  const { t } = useTranslation('google');
  const fmt = useFormats();
  const id = Number(item.id);
  const { data: keywords, isError, refetch } = useQuery(googleKeywordsQuery(id, 'link'));
  const [opened, { open, close }] = useDisclosure(false);
  const [leaving, setLeaving] = useState<GoogleKeyword>();
  return (
    <section className={styles.panel} aria-labelledby="google-keywords">
      <div className={styles.panelHead}>
        <h2 id="google-keywords" className={styles.panelTitle}>
          {t('keywords.title')}
        </h2>
        <span className={styles.dim}>{t('keywords.of', item.keywords)}</span>
        <Button variant="default" size="xs" className={styles.end} leftSection={<IconLink size={15} />} onClick={open}>
          {t('linkKeywords')}
        </Button>
      </div>
      {!keywords && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />)}
      {keywords?.length === 0 && <p className={styles.dim}>{t('keywords.none')}</p>}
      {keywords && keywords.length > 0 && (
        <div className={styles.keywords}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('column.keyword')}</th>
                <th scope="col">{t('column.country')}</th>
                <th scope="col">
                  <span className="visually-hidden">{t('column.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keywords.map((keyword) => (
                <tr key={keyword.ID}>
                  <td>{keyword.content}</td>
                  <td>
                    <Flag code={keyword.localization.ISO2} label={fmt.country(keyword.localization.ISO2)} />
                  </td>
                  <td className={styles.number}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('keywords.remove', { keyword: keyword.content })}
                      onClick={() => setLeaving(keyword)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {opened && <KeywordsModal id={id} onClose={close} />}
      {leaving && (
        <ConfirmModal
          danger
          title={t('keywords.removeTitle')}
          text={t('keywords.removeText', { keyword: leaving.content })}
          confirm={t('keywords.removeButton')}
          act={() => unmapKeyword(id, leaving.ID)}
          done={t('purged')}
          failed={t('purgeFailed')}
          changes={[googleKey]}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </section>
  );
}

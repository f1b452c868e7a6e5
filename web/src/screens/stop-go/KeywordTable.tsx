import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { enableKeyword, excludeKeyword, removeKeyword, STOP_GO, type StopGoKeyword } from '~/api/queries/stopGo';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import { LaneState } from './LaneState';
import { OptimisticSwitch } from './Optimistic';
import styles from './StopGo.module.css';
import { UpdateOptions } from './UpdateOptions';

interface Props {
  keywords: readonly StopGoKeyword[];
  /** Of one brand: neither the brand nor the averages are shown. */
  ofBrand?: boolean;
}

/** The keywords with Stop and Go, with their switches and the states of their lanes. */
export function KeywordTable({ keywords, ofBrand = false }: Props) {
  const { t } = useTranslation('stopGo');
  const [edited, setEdited] = useState<StopGoKeyword>();
  const [removed, setRemoved] = useState<StopGoKeyword>();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={`${styles.card} ${styles.scroll}`} aria-label={t('keywords')} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            {!ofBrand && <th scope="col">{t('brand')}</th>}
            <th scope="col">{t('keyword')}</th>
            <th scope="col">{t('location')}</th>
            {!ofBrand && <th scope="col">{t('averageCTR')}</th>}
            {!ofBrand && <th scope="col">{t('averageCPC')}</th>}
            <th scope="col">{t('created')}</th>
            <th scope="col">{t('excluded')}</th>
            <th scope="col">{t('enabled')}</th>
            <th scope="col">{t('actions')}</th>
          </tr>
        </thead>
        <tbody>
          {keywords.map((keyword) => (
            <KeywordLine
              key={keyword.ID}
              keyword={keyword}
              ofBrand={ofBrand}
              onEdit={() => setEdited(keyword)}
              onRemove={() => setRemoved(keyword)}
            />
          ))}
        </tbody>
      </table>
      {edited && <UpdateOptions keyword={edited} onClose={() => setEdited(undefined)} />}
      {removed && (
        <ConfirmModal
          danger
          title={t('removeTitle', { name: removed.keyword.content })}
          text={t('removeText')}
          confirm={t('remove')}
          act={async () => {
            await removeKeyword(removed.ID);
          }}
          done={t('removed')}
          failed={t('removeFailed')}
          changes={[STOP_GO]}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </section>
  );
}

interface LineProps {
  keyword: StopGoKeyword;
  ofBrand: boolean;
  onEdit(): void;
  onRemove(): void;
}

function KeywordLine({ keyword, ofBrand, onEdit, onRemove }: LineProps) {
  const { t } = useTranslation('stopGo');
  const fmt = useFormats();
  const { content, localization } = keyword.keyword;
  const id = String(keyword.ID);
  return (
    <tr>
      {!ofBrand && <td>{keyword.brand.label}</td>}
      <td>
        <span className={styles.cell}>
          <Link className={styles.link} to="/stop-go-keyword-management/$id" params={{ id }}>
            {content}
          </Link>
          <LaneState state={keyword.lane.state} since={keyword.lane.since} />
        </span>
      </td>
      <td>
        <span className={styles.place}>
          <Flag code={localization.ISO2} label={fmt.country(localization.ISO2)} />
          {!ofBrand && fmt.country(localization.ISO2)}
        </span>
      </td>
      {!ofBrand && <td>{keyword.averageCTR && t('percent', { value: keyword.averageCTR })}</td>}
      {!ofBrand && <td>{keyword.averageCPC}</td>}
      <td>{fmt.date(keyword.createdDate)}</td>
      <td>
        <span className={styles.cell}>
          <OptimisticSwitch
            label={t('excludedOf', { name: content })}
            checked={keyword.saveToGoogle}
            change={(on) => excludeKeyword(keyword.ID, on)}
            done={(on) => t(on ? 'keywordExclude' : 'keywordInclude')}
            failed={t('excludeFailed')}
          />
          <InGoogle keyword={keyword} />
        </span>
      </td>
      <td>
        <OptimisticSwitch
          label={t('enabledOf', { name: content })}
          checked={keyword.enable}
          change={(on) => enableKeyword(keyword.ID, on)}
          done={(on) => t(on ? 'keywordEnable' : 'keywordDisable')}
          failed={t('enableFailed')}
        />
      </td>
      <td>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="subtle" aria-label={t('menuOf', { name: content })}>
              <IconDotsVertical size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item renderRoot={(props) => <Link to="/stop-go-keyword-management/$id" params={{ id }} {...props} />}>
              {t('openDetail')}
            </Menu.Item>
            <Menu.Item onClick={onEdit}>{t('updateOptions')}</Menu.Item>
            <Menu.Item color="red" onClick={onRemove}>
              {t('remove')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </td>
    </tr>
  );
}

const IN_GOOGLE = ['yes', 'no', 'pending', 'not-connected', 'refused'] as const;

/** Whether the text is in the list of Google, beside what is wanted. */
export function InGoogle({ keyword }: { keyword: StopGoKeyword }) {
  const { t } = useTranslation('stopGo');
  const known = IN_GOOGLE.find((name) => name === keyword.inGoogle) ?? 'pending';
  return <span className={styles.dim}>{t(`inGoogle.${known}`, { reason: keyword.refusal ?? '' })}</span>;
}

import { IconAlertTriangle, IconScan, IconShieldLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaptureResult } from '~/api/queries/captures';
import { Flag } from '~/ui/Flag';
import { DeviceIcon, EngineIcon } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './Capture.module.css';
import { NONE } from './sought';

interface Props {
  capture: CaptureResult;
  /** Whose ad is looked for, or `none`. */
  domain: string;
  /** What can be done with the capture. */
  children: ReactNode;
}

/** What was searched, where and when, and what to think of the page. */
export function Facts({ capture, domain, children }: Props) {
  const { t } = useTranslation(['capture', 'market']);
  const fmt = useFormats();
  const { engine, locale, term, device } = capture.job;
  const name = (t as unknown as (key: string, options: { defaultValue: string }) => string)(`market:engine.${engine}`, {
    defaultValue: engine,
  });
  return (
    <header className={styles.facts}>
      <div className={styles.head}>
        <h1 className={styles.sentence} tabIndex={-1}>
          <span className={styles.marks}>
            <EngineIcon engine={engine} size={18} />
            <Flag code={locale.split('_')[1] ?? ''} />
            <DeviceIcon device={device} />
          </span>
          <span>{t('sentence', { engine: name, locale, date: fmt.moment(capture.createdDate), term })}</span>
        </h1>
        <ul className={styles.notes}>
          {domain !== NONE && (
            <li data-tone={capture.ad == null ? 'plain' : 'mark'}>
              <IconScan size={15} aria-hidden />
              {t(capture.ad == null ? 'notOutlined' : 'outlined', { domain })}
            </li>
          )}
          {capture.verdict === 'doubtful' && (
            <li data-tone="warn">
              <IconAlertTriangle size={15} aria-hidden />
              {t('doubt')}
            </li>
          )}
          <li data-tone="plain">
            <IconShieldLock size={15} aria-hidden />
            {t('inert')}
          </li>
        </ul>
      </div>
      <div className={styles.acts}>{children}</div>
    </header>
  );
}

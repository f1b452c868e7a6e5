import { useTranslation } from 'react-i18next';
import { DeviceIcon, EngineIcon, Flag } from '~/ui/marketIcons';
import styles from './Operations.module.css';

interface Props {
  engine: string;
  device: string;
  locale?: string | null | undefined;
}

/** The country (a flag; from a locale like `fr_FR`, none without one), engine and device of a search. */
export function SearchPlace({ engine, device, locale }: Props) {
  const { t } = useTranslation('market');
  return (
    <span className={styles.place}>
      {locale && <Flag code={locale.split('_')[1] ?? ''} label={locale} />}
      <EngineIcon engine={engine} size={14} />
      <span>{t(`engine.${engine}`, { defaultValue: engine })}</span>
      <DeviceIcon device={device} />
      <span>{t(`device.${device}`, { defaultValue: device })}</span>
    </span>
  );
}

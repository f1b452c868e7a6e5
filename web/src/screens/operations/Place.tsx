import { Flag } from '~/ui/Flag';
import { DeviceIcon, EngineIcon } from '~/ui/indicators';
import styles from './Place.module.css';
import { useKnownWords } from './words';

interface Props {
  engine: string;
  device: string;
  locale?: string | null | undefined;
}

/** Where something is searched: country, engine, device. */
export function Place({ engine, device, locale }: Props) {
  const known = useKnownWords();
  return (
    <span className={styles.place}>
      {locale && <Flag code={locale.split('_')[1] ?? ''} label={locale} />}
      <EngineIcon engine={engine} size={14} />
      <span>{known(`market:engine.${engine}`, engine)}</span>
      <DeviceIcon device={device} />
      <span>{known(`market:device.${device}`, device)}</span>
    </span>
  );
}

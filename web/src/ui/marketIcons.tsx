import {
  IconBrandBing,
  IconBrandGoogleFilled,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconDeviceTablet,
  IconWorldSearch,
} from '@tabler/icons-react';
import styles from './marketIcons.module.css';

/** Languages and older country codes, by the country code of their flag. */
const ALIASES: Readonly<Record<string, string>> = { en: 'gb', eng: 'gb', uk: 'gb' };
const DEFAULT_CODE = 'fr';

/** The flag for a country or language code; the default when it is empty or unknown. */
export function flagCode(code: string, known: (code: string) => boolean): string {
  const lower = code.trim().toLowerCase();
  const mapped = ALIASES[lower] ?? lower;
  return known(mapped) ? mapped : DEFAULT_CODE;
}

const files = import.meta.glob<string>('../../node_modules/country-flag-icons/3x2/[A-Z][A-Z].svg', {
  eager: true,
  query: '?url',
  import: 'default',
});
const urls = new Map(Object.entries(files).map(([path, url]) => [path.slice(-6, -4).toLowerCase(), url]));

interface Props {
  /** A country or language code, in any case. */
  code: string;
  /** Alternative text; leave it out beside the same text. */
  label?: string;
}

export function Flag({ code, label }: Props) {
  const url = urls.get(flagCode(code, (known) => urls.has(known)));
  return (
    <img className={styles.flag} src={url} alt={label ?? ''} title={label} width={18} height={12} loading="lazy" />
  );
}

/** The mark of a search engine, decorative. */
export function EngineIcon({ engine, size = 16 }: { engine: string; size?: number }) {
  const Icon = engine === 'google' ? IconBrandGoogleFilled : engine === 'bing' ? IconBrandBing : IconWorldSearch;
  return <Icon size={size} aria-hidden style={{ flex: 'none' }} />;
}

/** The icon of a device, decorative. */
export function DeviceIcon({ device, size = 16 }: { device: string; size?: number }) {
  const Icon = device === 'mobile' ? IconDeviceMobile : device === 'tablet' ? IconDeviceTablet : IconDeviceDesktop;
  return <Icon size={size} aria-hidden style={{ flex: 'none' }} />;
}

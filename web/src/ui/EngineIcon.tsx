import { IconBrandBing, IconBrandGoogleFilled, IconWorldSearch } from '@tabler/icons-react';

/** The mark of a search engine, for beside its name. */
export function EngineIcon({ engine, size = 16 }: { engine: string; size?: number }) {
  const Icon = engine === 'google' ? IconBrandGoogleFilled : engine === 'bing' ? IconBrandBing : IconWorldSearch;
  return <Icon size={size} aria-hidden style={{ flex: 'none' }} />;
}

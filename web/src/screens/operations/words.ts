import { useTranslation } from 'react-i18next';

/** Reads a word of the server; one it learns later is shown as it is. */
export function useKnownWords(): (key: string, word: string) => string {
  const { t } = useTranslation(['operations', 'home', 'market']);
  const words = t as unknown as (key: string, options: { defaultValue: string }) => string;
  return (key, word) => words(key, { defaultValue: word });
}

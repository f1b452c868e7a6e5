import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** Formats amounts of a currency (ISO 4217) in the current language: €1,299.00. */
export function useMoney(currency: string): (value: number) => string {
  const { language } = useTranslation().i18n;
  return useMemo(() => {
    const { format } = new Intl.NumberFormat(language, { style: 'currency', currency });
    return (value) => format(value);
  }, [language, currency]);
}

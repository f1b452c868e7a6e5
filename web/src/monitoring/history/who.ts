import { useTranslation } from 'react-i18next';
import type { Author } from '~/api/queries/history';
import { PRODUCT } from '~/ui/pageTitle';

/** Names authors: a person or company account by its name, staff by that of the product. Administrators also read whom somebody worked as. */
export function useWho(): (author: Author) => string {
  const { t } = useTranslation('history');
  return ({ kind, name, as }) => {
    if (kind === 'staff') return PRODUCT;
    const known = name ?? t('who.gone');
    return as ? t('who.as', { name: known, other: as }) : known;
  };
}

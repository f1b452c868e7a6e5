import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { todoCountQuery } from '~/api/queries/actions';
import styles from './Header.module.css';

/** How many cases are to do; nothing while there are none. */
export function ToDo() {
  const { t } = useTranslation('common');
  const { data: count = 0 } = useQuery(todoCountQuery);
  if (count === 0) return null;
  return (
    <span className={styles.toDo}>
      <span aria-hidden>{count}</span>
      <span className="visually-hidden">{t('header.toDo', { count })}</span>
    </span>
  );
}

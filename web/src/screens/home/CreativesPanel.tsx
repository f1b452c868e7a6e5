import { IconSpeakerphone } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { creativesQuery } from '~/api/queries/home';
import { only } from '~/lib/homeSearch';
import type { ListSearch } from '~/lib/listSearch';
import { EmptyState } from '~/ui/feedback';
import { Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import styles from './Creatives.module.css';
import shared from './Home.module.css';
import { Card, FigureLink } from './parts';

/** Flags beside a headline; more countries are only counted. */
const FLAGS = 3;

/** The headlines of others with most views. */
export function CreativesPanel({ filters }: { filters: ListSearch['filters'] }) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery({ ...creativesQuery(filters), placeholderData: keepPreviousData });
  return (
    <Card
      id="creatives"
      title={t('creatives.title')}
      className={styles.creatives}
      failed={isError && !data}
      onRetry={() => refetch()}
      more={
        <Link to="/domains" search={{ ...filters }} className={shared.more}>
          {t('top.all')}
        </Link>
      }
    >
      {data?.data.length === 0 && <EmptyState icon={<IconSpeakerphone size={26} />} title={t('chart.empty')} />}
      <ol className={styles.creativeList}>
        {data?.data.map(({ domain, type, title, countries, views }) => (
          <li key={`${domain} ${type} ${title}`} className={styles.creative}>
            <span className={styles.creativeTitle} title={title}>
              {title}
            </span>
            <FigureLink
              to="/domains"
              filters={{ ...filters, domain: only(domain), type: only(type), adTitle: only(title) }}
            >
              {t('creatives.views', { count: views })}
            </FigureLink>
            <span className={styles.creativeOf}>
              {countries.slice(0, FLAGS).map((country) => (
                <Flag key={country} code={country} label={fmt.country(country)} />
              ))}
              {countries.length > FLAGS && `+${countries.length - FLAGS}`}
              <span className={styles.creativeDomain}>
                {domain} · {t(`creatives.kind.${type}`, { defaultValue: type })}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

import { Loader, SegmentedControl } from '@mantine/core';
import { IconAffiliate } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { decideLink, type GroupLink, groupQuery, type LinkVerdict } from '~/api/queries/advertiserGroups';
import { useHandheld } from '~/ui/environment';
import { errorText } from '~/ui/errorText';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './AdvertiserGroup.module.css';
import { Decisions } from './Decisions';
import { EvidencePanel } from './EvidencePanel';
import { Graph } from './Graph';
import { GroupDomains } from './GroupDomains';
import { LinkTable } from './LinkTable';
import { linkKey } from './links';
import { Suggestions } from './Suggestions';

/** The domains behind which one advertiser is, with what ties them together and what may belong to them; a member of staff decides. */
export function AdvertiserGroup() {
  const { t } = useTranslation('advertiserGroup');
  const common = useTranslation('common').t;
  const fmt = useFormats();
  const handheld = useHandheld();
  const { domain } = useParams({ from: '/advertisers/group/$domain' });
  const queries = useQueryClient();
  const { data: group, error, refetch } = useQuery(groupQuery(domain));
  const [shape, setShape] = useState<'graph' | 'table'>();
  const [key, setKey] = useState<string>();
  const { mutate, isPending } = useMutation({
    mutationFn: decideLink,
    onSuccess: (_, { verdict }) => {
      toast.success(t(verdict === 'same' ? 'saidSame' : verdict === 'different' ? 'saidDifferent' : 'takenBack'));
      return queries.invalidateQueries({ queryKey: ['advertiserGroup'] });
    },
    onError: (failure) => toast.error(errorText(failure, common)),
  });
  if (!group) {
    if (error instanceof ApiError && error.status === 404)
      return (
        <div className={styles.page}>
          <h1 className={styles.title} tabIndex={-1}>
            {domain}
          </h1>
          <EmptyState icon={<IconAffiliate size={26} />} title={t('unseen')} text={t('unseenText')} />
        </div>
      );
    return error ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />;
  }
  const { data, meta } = group;
  const members = data.domains.filter(({ member }) => member);
  const sum = (of: (one: (typeof members)[number]) => number) => members.reduce((all, one) => all + of(one), 0);
  const views = sum((one) => one.views);
  const chosen = data.links.find((link) => linkKey(link) === key) ?? data.links.find(({ accepted }) => !accepted);
  const choose = (link: GroupLink) => setKey(linkKey(link));
  const decide = ({ one, other }: GroupLink, verdict: LinkVerdict) => mutate({ one, other, verdict });
  const shown = shape ?? (handheld ? 'table' : 'graph');
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {data.domain}
        </h1>
        <span>{t('groupOf', { count: members.length })}</span>
        <span>{t('share', { share: fmt.visibility(meta.totalViews > 0 ? (views / meta.totalViews) * 100 : 0) })}</span>
        <span>{t('adsOf', { count: sum((one) => one.ads) })}</span>
      </header>
      <div className={styles.columns}>
        <div className={styles.stack}>
          <section className={styles.card} aria-labelledby="ties">
            <header className={styles.cardHead}>
              <h2 id="ties">{t('ties')}</h2>
              <SegmentedControl
                size="xs"
                aria-label={t('shape')}
                value={shown}
                data={[
                  { value: 'graph', label: t('graph') },
                  { value: 'table', label: t('table') },
                ]}
                onChange={(value) => setShape(value === 'table' ? 'table' : 'graph')}
              />
            </header>
            {data.links.length === 0 && (
              <EmptyState icon={<IconAffiliate size={26} />} title={t('alone')} text={t('aloneText')} />
            )}
            {data.links.length > 0 &&
              (shown === 'graph' ? (
                <Graph group={group} chosen={chosen} onChoose={choose} />
              ) : (
                <LinkTable group={group} chosen={chosen} onChoose={choose} />
              ))}
            <p className={styles.dim}>{t('basis', { date: fmt.date(meta.since) })}</p>
          </section>
          <GroupDomains group={group} />
        </div>
        <div className={styles.stack}>
          <Suggestions group={group} chosen={chosen} saving={isPending} onChoose={choose} onDecide={decide} />
          {chosen && <EvidencePanel link={chosen} mayDecide={meta.mayDecide} saving={isPending} onDecide={decide} />}
          <Decisions
            group={group}
            saving={isPending}
            onForget={(one, other) => mutate({ one, other, verdict: null })}
          />
        </div>
      </div>
    </div>
  );
}

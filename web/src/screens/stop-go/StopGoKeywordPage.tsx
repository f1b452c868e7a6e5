import { Button, Loader } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  actOnLane,
  endEmergency,
  type Lane,
  laneQuery,
  STOP_GO,
  type StopGoBrand,
  type StopGoKeyword,
  stopGoBrandsQuery,
  stopGoKeywordQuery,
} from '~/api/queries/stopGo';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import { Flag } from '~/ui/marketIcons';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { Emergency } from './Emergency';
import { Guards } from './Guards';
import { InGoogle } from './KeywordTable';
import { LaneState } from './LaneState';
import styles from './StopGo.module.css';
import { Strip } from './Strip';
import { Why } from './Why';

const DryRunPart = lazyPart(() => import('./DryRun').then((module) => module.DryRun), {
  waiting: <Loader size="sm" />,
});

/** A keyword with Stop and Go, and its lane. */
export function StopGoKeywordPage() {
  const common = useTranslation('common').t;
  const id = Number(useParams({ strict: false }).id);
  const { data: keyword, isError, refetch } = useQuery(stopGoKeywordQuery(id));
  const laneId = keyword?.lane.ID;
  const shown = useQuery({ ...laneQuery(laneId ?? 0), enabled: laneId !== undefined });
  const lane = shown.data;
  const { data: brands } = useQuery(stopGoBrandsQuery);
  const brand = brands?.find(({ brandID }) => brandID === keyword?.brand.ID);
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.stopGoKeyword')}
        </h1>
        {lane && <LaneActs lane={lane} />}
        {brand && (
          <span className={styles.push}>
            <Emergency brand={brand} />
          </span>
        )}
      </header>
      {!keyword && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {lane?.emergencyAt && brand && <EmergencyBar since={lane.emergencyAt} brand={brand} />}
      {keyword && (
        <div className={styles.columns}>
          <div className={styles.stack}>
            <KeywordFacts keyword={keyword} lane={lane} />
            {lane && <Guards lane={lane} />}
          </div>
          {!lane && (shown.isError ? <ErrorPanel onRetry={() => void shown.refetch()} /> : <Loader />)}
          {lane && (
            <div className={styles.stack}>
              <Strip hours={lane.strip} />
              <DryRunPart lane={lane} />
              <Why lane={lane} />
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function KeywordFacts({ keyword, lane }: { keyword: StopGoKeyword; lane: Lane | undefined }) {
  const { t } = useTranslation('stopGo');
  const fmt = useFormats();
  const { content, localization } = keyword.keyword;
  return (
    <section className={styles.card}>
      <LaneState state={keyword.lane.state} since={keyword.lane.since} />
      {lane?.nextEvent && <p className={styles.dim}>{t('nextEvent', { date: fmt.minute(lane.nextEvent) })}</p>}
      {lane && !lane.automation && <p className={styles.dim}>{t('automationOff')}</p>}
      <dl className={styles.facts}>
        <dt>{t('brand')}</dt>
        <dd>{keyword.brand.label}</dd>
        <dt>{t('keyword')}</dt>
        <dd>{content}</dd>
        <dt>{t('location')}</dt>
        <dd>
          <span className={styles.place}>
            <Flag code={localization.ISO2} label={fmt.country(localization.ISO2)} />
            {fmt.country(localization.ISO2)}
          </span>
        </dd>
        <dt>{t('averageCTR')}</dt>
        <dd>{keyword.averageCTR ? t('percent', { value: keyword.averageCTR }) : '–'}</dd>
        <dt>{t('averageCPC')}</dt>
        <dd>{keyword.averageCPC ?? '–'}</dd>
        <dt>{t('created')}</dt>
        <dd>{fmt.date(keyword.createdDate)}</dd>
        <dt>{t('scenarios')}</dt>
        <dd>-</dd>
        <dt>{t('excluded')}</dt>
        <dd>
          {t(keyword.saveToGoogle ? 'yes' : 'no')} <InGoogle keyword={keyword} />
        </dd>
        <dt>{t('enabled')}</dt>
        <dd>{t(keyword.enable ? 'yes' : 'no')}</dd>
        {lane && (
          <>
            <dt>{t('campaigns')}</dt>
            <dd>{lane.campaigns ?? '–'}</dd>
            <dt>{t('pmax')}</dt>
            <dd>
              {lane.pmaxPercent === null || lane.pmaxPercent === undefined ? '–' : `${fmt.decimal(lane.pmaxPercent)} %`}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** What a person may do with a lane as it is now. */
function LaneActs({ lane }: { lane: Lane }) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const acting = useMutation({
    mutationFn: (act: 'resume' | 'approve') => actOnLane(lane.ID, act),
    onSuccess: () => toast.success(t('acted')),
    onError: (error) => toast.error(t('actFailed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: STOP_GO }),
  });
  const waits = lane.state === 'candidate' && ['awaits-approval', 'interval-too-long'].includes(lane.reason);
  return (
    <>
      {waits && (
        <Button loading={acting.isPending} onClick={() => acting.mutate('approve')}>
          {t('approve')}
        </Button>
      )}
      {lane.state === 'manual' && (
        <Button variant="default" loading={acting.isPending} onClick={() => acting.mutate('resume')}>
          {t('resume')}
        </Button>
      )}
    </>
  );
}

/** Says that an emergency lasts, and ends it once that is confirmed. */
function EmergencyBar({ since, brand }: { since: string; brand: StopGoBrand }) {
  const { t } = useTranslation('stopGo');
  const fmt = useFormats();
  const [isEnding, setEnding] = useState(false);
  return (
    <div className={styles.alarm} role="alert">
      {t('emergencyOn', { date: fmt.minute(since) })}
      <Button variant="default" size="xs" onClick={() => setEnding(true)}>
        {t('emergencyEnd')}
      </Button>
      {isEnding && (
        <ConfirmModal
          danger
          title={t('emergencyEndTitle', { brand: brand.brandLabel })}
          text={t('emergencyEndText')}
          confirm={t('emergencyEnd')}
          act={async () => {
            await endEmergency(brand.ID, brand.brandLabel);
          }}
          done={t('emergencyEnded')}
          failed={t('actFailed')}
          changes={[STOP_GO]}
          onClose={() => setEnding(false)}
        />
      )}
    </div>
  );
}

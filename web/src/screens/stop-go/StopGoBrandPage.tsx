import { Button, Checkbox, Loader, Radio, Stack } from '@mantine/core';
import { IconPlus, IconTrafficLights } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { STOP_GO, type StopGoBrand, setOptions, stopGoBrandQuery, stopGoKeywordsQuery } from '~/api/queries/stopGo';
import { useMe } from '~/api/session';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { AddKeyword } from './AddKeyword';
import { Emergency } from './Emergency';
import { KeywordTable } from './KeywordTable';
import { RuleSettings } from './RuleSettings';
import styles from './StopGo.module.css';
import { StrandedBar } from './StrandedBar';

const MODES = ['observe', 'propose', 'automatic'] as const;

/** A brand with Stop and Go: what it is on the left, its keywords on the right. */
export function StopGoBrandPage() {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const id = Number(useParams({ strict: false }).id);
  const [isAdding, setAdding] = useState(false);
  const { data: brand, isError, refetch } = useQuery(stopGoBrandQuery(id));
  const lines = useQuery({
    ...stopGoKeywordsQuery({ brandID: brand?.brandID ?? 0 }),
    enabled: brand !== undefined,
  });
  const keywords = lines.data;
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.stopGoItem')}
        </h1>
        <Button
          className={styles.push}
          leftSection={<IconPlus size={16} />}
          disabled={!brand}
          onClick={() => setAdding(true)}
        >
          {t('addKeyword')}
        </Button>
        {brand && <Emergency brand={brand} />}
      </header>
      <StrandedBar />
      {!brand && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {brand && (
        <div className={styles.columns}>
          <div className={styles.stack}>
            <BrandFacts brand={brand} />
            <Modes brand={brand} />
            <RuleSettings brand={brand} />
          </div>
          {!keywords && (lines.isError ? <ErrorPanel onRetry={() => void lines.refetch()} /> : <Loader />)}
          {keywords?.length === 0 && (
            <EmptyState icon={<IconTrafficLights size={26} />} title={t('noKeywords')} text={t('noKeywordsText')} />
          )}
          {keywords && keywords.length > 0 && <KeywordTable keywords={keywords} ofBrand />}
        </div>
      )}
      {isAdding && brand && <AddKeyword brandID={brand.brandID} onClose={() => setAdding(false)} />}
    </div>
  );
}

function BrandFacts({ brand }: { brand: StopGoBrand }) {
  const { t } = useTranslation('stopGo');
  const fmt = useFormats();
  return (
    <section className={styles.card}>
      <dl className={styles.facts}>
        <dt>{t('brand')}</dt>
        <dd>{brand.brandLabel}</dd>
        <dt>{t('domains')}</dt>
        <dd>{brand.domains.join(', ') || '–'}</dd>
        <dt>{t('created')}</dt>
        <dd>{fmt.date(brand.createdDate)}</dd>
        <dt>{t('enabled')}</dt>
        <dd>{t(brand.enabled ? 'yes' : 'no')}</dd>
      </dl>
    </section>
  );
}

/** What the lanes of a brand may do by themselves. */
function Modes({ brand }: { brand: StopGoBrand }) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const me = useMe();
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: (change: { mode?: string; ownerID?: number | null }) =>
      setOptions({
        ID: brand.ID,
        version: brand.version,
        mode: brand.mode,
        settings: brand.settings,
        ownerID: brand.ownerID ?? null,
        valuePerClick: brand.valuePerClick ?? null,
        ...change,
      }),
    onSuccess: () => {
      toast.success(t('modeSaved'));
      setChosen(undefined);
    },
    onError: (error) => toast.error(t('modeFailed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: STOP_GO }),
  });
  const [chosen, setChosen] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const mode = chosen ?? brand.mode;
  const hasOwner = brand.ownerID !== null && brand.ownerID !== undefined;
  const isOwner = hasOwner && brand.ownerID === Number(me.id);
  return (
    <section className={styles.card}>
      <Radio.Group label={t('mode')} value={mode} onChange={setChosen}>
        <Stack gap="xs" mt="xs">
          {MODES.map((mode) => (
            <Radio key={mode} value={mode} label={t(`modes.${mode}`)} description={t(`modeText.${mode}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <Button
        mt="sm"
        size="compact-md"
        disabled={mode === brand.mode}
        loading={saving.isPending}
        onClick={() => (mode === 'automatic' ? setAsking(true) : saving.mutate({ mode }))}
      >
        {common('save')}
      </Button>
      <Checkbox
        mt="md"
        label={t('owner')}
        description={hasOwner && !isOwner ? t('ownerOther') : undefined}
        checked={isOwner}
        onChange={({ currentTarget }) =>
          !saving.isPending && saving.mutate({ ownerID: currentTarget.checked ? Number(me.id) : null })
        }
      />
      {isAsking && (
        <ConfirmModal
          danger
          title={t('automaticTitle', { brand: brand.brandLabel })}
          text={t('automaticText')}
          confirm={t('automaticConfirm')}
          act={async () => {
            await saving.mutateAsync({ mode: 'automatic' });
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  );
}

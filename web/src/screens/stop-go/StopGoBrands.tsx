import { ActionIcon, Button, Loader, TagsInput } from '@mantine/core';
import { IconChevronRight, IconPlus, IconTrafficLights } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { officialDomainsQuery } from '~/api/queries/officialDomains';
import { changeBrand, STOP_GO, type StopGoBrand, stopGoBrandsQuery } from '~/api/queries/stopGo';
import { ExportLink } from '~/list/ExportLink';
import { errorText } from '~/ui/errorText';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { AddBrand } from './AddBrand';
import { OptimisticSwitch } from './Optimistic';
import styles from './StopGo.module.css';
import { StrandedBar } from './StrandedBar';

/** The brands with Stop and Go. */
export function StopGoBrands() {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const { data: brands, isError, refetch } = useQuery(stopGoBrandsQuery);
  const [isAdding, setAdding] = useState(false);
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.stopGoManagement')}
        </h1>
        <Button className={styles.push} leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
          {t('addBrand')}
        </Button>
        <span className={styles.files}>
          <ExportLink href="/api/stop-go/brand/export" name="stop-go-brands" compact />
        </span>
      </header>
      <StrandedBar />
      {!brands && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {brands?.length === 0 && (
        <EmptyState icon={<IconTrafficLights size={26} />} title={t('noBrands')} text={t('noBrandsText')} />
      )}
      {brands && brands.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
        <section className={`${styles.card} ${styles.scroll}`} aria-label={t('brand')} tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('brand')}</th>
                <th scope="col">{t('domains')}</th>
                <th scope="col">{t('created')}</th>
                <th scope="col">{t('enabled')}</th>
                <th scope="col">{t('openDetail')}</th>
              </tr>
            </thead>
            <tbody>
              {brands.map((brand) => (
                <BrandLine key={brand.ID} brand={brand} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {isAdding && <AddBrand linked={brands ?? []} onClose={() => setAdding(false)} />}
    </div>
  );
}

function BrandLine({ brand }: { brand: StopGoBrand }) {
  const { t } = useTranslation('stopGo');
  const fmt = useFormats();
  const id = String(brand.ID);
  return (
    <tr>
      <td>
        <Link className={styles.link} to="/stop-go-management/$id" params={{ id }}>
          {brand.brandLabel}
        </Link>
      </td>
      <td>
        <Domains brand={brand} />
      </td>
      <td>{fmt.date(brand.createdDate)}</td>
      <td>
        <OptimisticSwitch
          label={t('enabledOf', { name: brand.brandLabel })}
          checked={brand.enabled}
          change={(on) => changeBrand({ brandID: brand.brandID, state: on ? 'enable' : 'disable' })}
          done={(on) => t(on ? 'brandEnabled' : 'brandDisabled')}
          failed={t('brandFailed')}
        />
      </td>
      <td>
        <ActionIcon
          variant="subtle"
          aria-label={t('open', { name: brand.brandLabel })}
          renderRoot={(props) => <Link to="/stop-go-management/$id" params={{ id }} {...props} />}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
      </td>
    </tr>
  );
}

/** The official domains of a brand as chips, each change of which is sent at once. */
function Domains({ brand }: { brand: StopGoBrand }) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const changing = useMutation({
    mutationFn: (domains: string[]) => changeBrand({ brandID: brand.brandID, domains }),
    onSuccess: () => toast.success(t('domainsUpdated')),
    onError: (error, domains) => {
      toast.error(t('domainsFailed'), errorText(error, common));
      // What was refused can be mended.
      setText(domains.find((domain) => !brand.domains.includes(domain)) ?? '');
    },
    onSettled: () =>
      Promise.all(
        [STOP_GO, officialDomainsQuery(brand.brandID).queryKey].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  });
  return (
    <TagsInput
      miw={220}
      aria-label={t('domainsOf', { brand: brand.brandLabel })}
      value={changing.isPending ? changing.variables : brand.domains}
      onChange={(domains) => changing.mutate(domains)}
      searchValue={text}
      onSearchChange={setText}
      acceptValueOnBlur={false}
      // In an empty field it would take the last domain away.
      onKeyDownCapture={(event) => event.key === 'Backspace' && text === '' && event.stopPropagation()}
      readOnly={changing.isPending}
    />
  );
}

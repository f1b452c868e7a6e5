import { Button, Select, TagsInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { searchBrands } from '~/api/queries/choices';
import {
  type GoogleCustomer,
  googleCustomersQuery,
  googleKey,
  linkCustomer,
  refreshCustomers,
} from '~/api/queries/google';
import { customerId } from '~/lib/customerId';
import { errorText } from '~/ui/errorText';
import { AsyncSelect, type Chosen } from '~/ui/form/AsyncSelect';
import { FormModal } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import styles from './GoogleConnect.module.css';

/** What was chosen and typed before a failure closed the form; it is there again when the form is opened. */
let kept: { customer: string | null; brand: Chosen | null; domains: string[] } | undefined;

/** Customers under the name of their manager. */
function grouped(customers: readonly GoogleCustomer[]) {
  const groups = new Map<string, GoogleCustomer[]>();
  for (const customer of customers) {
    const manager = customer.loginCustomer.name || customerId(customer.loginCustomer.ID);
    groups.set(manager, [...(groups.get(manager) ?? []), customer]);
  }
  return [...groups].map(([group, items]) => ({
    group,
    items: items.map(({ ID, name, currency }) => ({
      value: ID,
      label: [name, customerId(ID), currency].filter(Boolean).join(' · '),
    })),
  }));
}

/** The form that links a brand to a customer. It closes whether that succeeds or not; without a customer it does nothing. */
export function LinkModal({ onClose }: { onClose(): void }) {
  const { t } = useTranslation('google');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { data: customers, isError } = useQuery(googleCustomersQuery);
  const [customer, setCustomer] = useState(kept?.customer ?? null);
  const [brand, setBrand] = useState<Chosen | null>(kept?.brand ?? null);
  const [domains, setDomains] = useState<string[]>(kept?.domains ?? []);
  const refresh = useMutation({
    mutationFn: refreshCustomers,
    onSuccess: (found) => queries.setQueryData(googleCustomersQuery.queryKey, found),
    onError: (error) => toast.error(errorText(error, common)),
  });
  const link = useMutation({
    mutationFn: linkCustomer,
    onSuccess: () => {
      kept = undefined;
      toast.success(t('linked'));
    },
    onError: (error) => {
      kept = { customer, brand, domains };
      toast.error(t('linkFailed'), errorText(error, common));
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: googleKey });
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = customers?.find(({ ID }) => ID === customer);
    if (!found || !brand || link.isPending) return;
    link.mutate({
      ID: found.ID,
      fromID: found.fromID,
      loginCustomerID: found.loginCustomer.ID,
      brandID: Number(brand.value),
      domain: domains[0] ?? null,
    });
  };
  return (
    <FormModal
      title={t('linkTitle')}
      submitLabel={t('link.submit')}
      saving={link.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label={t('link.customer')}
        description={t('link.customerHint')}
        data={grouped(customers ?? [])}
        value={customer}
        onChange={setCustomer}
        searchable
        withAsterisk
        error={isError ? t('failure') : undefined}
        nothingFoundMessage={t('link.none')}
        data-autofocus
      />
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconRefresh size={15} />}
        loading={refresh.isPending}
        onClick={() => refresh.mutate()}
        className={styles.refresh}
      >
        {t('link.refresh')}
      </Button>
      <AsyncSelect label={t('link.brand')} withAsterisk search={searchBrands} value={brand} onChange={setBrand} />
      <TagsInput
        label={t('link.domain')}
        description={t('link.domainHint')}
        value={domains}
        onChange={setDomains}
        renderPill={({ value, onRemove, option }) => (
          <span className={styles.chip} data-unused={domains.indexOf(String(option?.value ?? value)) > 0 || undefined}>
            {value}
            {domains.indexOf(String(option?.value ?? value)) > 0 && <em> {t('link.unused')}</em>}
            <button type="button" aria-label={`× ${value}`} onClick={onRemove}>
              ×
            </button>
          </span>
        )}
      />
    </FormModal>
  );
}

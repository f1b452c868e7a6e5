import { Badge, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BrandRow } from '~/api/queries/brands';
import { type Partner, partnersQuery, removePartner } from '~/api/queries/partners';
import { dayjs } from '~/lib/dates';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { ErrorPanel } from '~/ui/feedback';
import { ModalFrame } from '~/ui/form/FormModal';
import { useFormats } from '~/ui/useFormats';
import { PartnerForm } from './PartnerForm';
import styles from './Partners.module.css';

const WIDTH = 640;

interface Props {
  brand: BrandRow;
  onClose(): void;
}

/** A modal with the authorised partners and resellers of a brand: adds, changes and removes them. Checks no rights. */
export function Partners({ brand, onClose }: Props) {
  const { t } = useTranslation('brands');
  const id = Number(brand.id);
  const { data, isError, refetch } = useQuery(partnersQuery(id));
  const [edited, setEdited] = useState<Partner | 'new'>();
  const [removed, setRemoved] = useState<Partner>();
  return (
    <ModalFrame title={t('partners.title', { brand: brand.label })} onClose={onClose} size={WIDTH}>
      {edited && (
        <PartnerForm brandId={id} partner={edited === 'new' ? null : edited} onDone={() => setEdited(undefined)} />
      )}
      {!edited && !data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {!edited && data && (
        <Stack>
          <Text size="sm">{data.length > 0 ? t('partners.hint') : t('partners.none')}</Text>
          <ul className={styles.list}>
            {data.map((partner) => (
              <PartnerItem
                key={partner.id}
                partner={partner}
                onEdit={() => setEdited(partner)}
                onRemove={() => setRemoved(partner)}
              />
            ))}
          </ul>
          <Group justify="flex-end">
            <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')} data-autofocus>
              {t('partners.add')}
            </Button>
          </Group>
        </Stack>
      )}
      {removed && (
        <ConfirmModal
          danger
          title={t('partners.removeTitle', { domain: removed.domain })}
          text={t('partners.removeText')}
          confirm={t('partners.remove')}
          act={() => removePartner(id, removed)}
          done={t('partners.removed')}
          changes={[partnersQuery(id).queryKey, ...NAMING_TAGS]}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </ModalFrame>
  );
}

interface ItemProps {
  partner: Partner;
  onEdit(): void;
  onRemove(): void;
}

/** A partner with its conditions in words, and its buttons. */
function PartnerItem({ partner, onEdit, onRemove }: ItemProps) {
  const { t } = useTranslation('brands');
  const fmt = useFormats();
  const { domain, kind, forbiddenWords, belowOwn, endsOn, note } = partner;
  // The last day is over when it is over in UTC.
  const hasEnded = endsOn !== null && endsOn !== undefined && endsOn < dayjs().toISOString().slice(0, endsOn.length);
  const conditions = [
    forbiddenWords.length > 0 && t('partners.without', { words: forbiddenWords.join(', ') }),
    belowOwn && t('partners.below'),
    endsOn &&
      (hasEnded ? t('partners.ended', { day: fmt.date(endsOn) }) : t('partners.until', { day: fmt.date(endsOn) })),
  ].filter(Boolean);
  return (
    <li className={styles.item}>
      <div className={styles.facts}>
        <Group gap="xs">
          <span className={styles.domain}>{domain}</span>
          <Badge variant="light" color={hasEnded ? 'gray' : 'blue'}>
            {t(kind === 'reseller' ? 'partners.reseller' : 'partners.partner')}
          </Badge>
        </Group>
        {conditions.length > 0 && <Text size="sm">{conditions.join(' · ')}</Text>}
        {note && (
          <Text size="sm" c="dimmed" lineClamp={2}>
            {note}
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap">
        <Button size="xs" variant="default" onClick={onEdit} aria-label={t('partners.changeOf', { domain })}>
          {t('partners.change')}
        </Button>
        <Button size="xs" variant="default" onClick={onRemove} aria-label={t('partners.removeOf', { domain })}>
          {t('partners.remove')}
        </Button>
      </Group>
    </li>
  );
}

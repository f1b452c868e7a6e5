import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { BrandRow } from '~/api/queries/brands';
import { type Partner, partnersQuery, removePartner } from '~/api/queries/partners';
import { dayjs } from '~/lib/dates';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';
import { useFormats } from '~/ui/useFormats';
import { BrandEntries } from './BrandEntries';
import styles from './BrandEntries.module.css';
import { PartnerForm } from './PartnerForm';

interface Props {
  brand: BrandRow;
  onClose(): void;
}

/** A modal with the authorised partners and resellers of a brand: adds, changes and removes them. Checks no rights. */
export function Partners({ brand, onClose }: Props) {
  const id = Number(brand.id);
  return (
    <BrandEntries
      kind="partners"
      brand={brand.label}
      query={partnersQuery(id)}
      nameOf={({ domain }) => domain}
      facts={(partner) => <PartnerFacts partner={partner} />}
      form={(partner, onDone) => <PartnerForm brandId={id} partner={partner} onDone={onDone} />}
      remove={(partner) => removePartner(id, partner)}
      changes={NAMING_TAGS}
      onClose={onClose}
    />
  );
}

/** A partner with its conditions in words. */
function PartnerFacts({ partner }: { partner: Partner }) {
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
    <>
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
    </>
  );
}

import { Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { BrandRow } from '~/api/queries/brands';
import { removeTrademark, type Trademark, trademarksQuery } from '~/api/queries/trademarks';
import { BrandEntries } from './BrandEntries';
import styles from './BrandEntries.module.css';
import { TrademarkForm } from './TrademarkForm';

interface Props {
  brand: BrandRow;
  onClose(): void;
}

/** A modal with the registered marks of a brand: adds, changes and removes them. Checks no rights. */
export function Trademarks({ brand, onClose }: Props) {
  const id = Number(brand.id);
  return (
    <BrandEntries
      kind="trademarks"
      brand={brand.label}
      query={trademarksQuery(id)}
      nameOf={({ mark }) => mark}
      facts={(trademark) => <TrademarkFacts trademark={trademark} />}
      form={(trademark, onDone) => <TrademarkForm brandId={id} trademark={trademark} onDone={onDone} />}
      remove={(trademark) => removeTrademark(id, trademark)}
      onClose={onClose}
    />
  );
}

/** A mark with what the register says of it. */
function TrademarkFacts({ trademark }: { trademark: Trademark }) {
  const { t } = useTranslation('brands');
  const { mark, office, number, countries, classes, owner, authorisationId } = trademark;
  const facts = [
    t('trademarks.registered', { office, number }),
    countries.length > 0 && countries.join(', '),
    classes.length > 0 && t('trademarks.ofClasses', { classes: classes.join(', ') }),
    owner,
  ].filter(Boolean);
  return (
    <>
      <Group gap="xs">
        <span className={styles.domain}>{mark}</span>
        <Badge variant="light" color={authorisationId ? 'blue' : 'gray'}>
          {t(authorisationId ? 'trademarks.authorised' : 'trademarks.unauthorised')}
        </Badge>
      </Group>
      <Text size="sm">{facts.join(' · ')}</Text>
    </>
  );
}

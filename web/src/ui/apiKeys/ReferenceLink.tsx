import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Where the server has the reference of its API. */
const REFERENCE = '/api/docs/';

/** The link to the reference of the API, within a sentence. Its texts are those of `apiKeys`. */
export function ReferenceLink() {
  const { t } = useTranslation('apiKeys');
  return (
    <Anchor href={REFERENCE} target="_blank" underline="always" inherit>
      {t('reference')}
    </Anchor>
  );
}

import type { QueryKey } from '@tanstack/react-query';
import { brandsKey } from '~/api/queries/brands';
import { companiesKey } from '~/api/queries/companies';
import { deletedKey } from '~/api/queries/history';
import { settingTermsKey } from '~/api/queries/settingTerms';
import { NAMING_TAGS } from '~/monitoring/tags/namingTags';

/** The keys of queries whose rows name brands, or tags and terms that go with a brand, deleted ones among them. */
export const CHANGED_BY_BRANDS: readonly QueryKey[] = [
  brandsKey,
  companiesKey,
  deletedKey,
  settingTermsKey,
  ...NAMING_TAGS,
];

import type { QueryKey } from '@tanstack/react-query';
import { advertisersKey } from '~/api/queries/advertisers';
import { domainsKey } from '~/api/queries/domains';
import { settingTermsKey } from '~/api/queries/settingTerms';
import { tagsKey } from '~/api/queries/tagList';
import { termsKey } from '~/api/queries/terms';
import { OPTIONS_KEY } from '~/ui/useFoundOptions';

/** The keys of queries whose rows name tags. */
export const NAMING_TAGS: readonly QueryKey[] = [
  tagsKey,
  OPTIONS_KEY,
  domainsKey,
  termsKey,
  advertisersKey,
  settingTermsKey,
];

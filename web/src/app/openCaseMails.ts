import { caseQuery } from '~/api/queries/actions';
import { caseMailsQuery } from '~/api/queries/caseMails';
import { loadTexts } from '~/i18n';
import type { RouterContext } from './root';

/** Prefetches a case and its mails, and loads the texts of their page. Apart from the other loaders, which lists load as well. */
export async function openCaseMails({ queries }: RouterContext, id: string): Promise<void> {
  void queries.prefetchQuery(caseQuery(id));
  void queries.prefetchQuery(caseMailsQuery(id));
  await loadTexts(['mailsOfCases', 'advertisers', 'market', 'list']);
}

import { redirect } from '@tanstack/react-router';
import { i18next, loadTexts } from '~/i18n';
import { asGuidePage, guideQuery } from '~/screens/help/guidePages';
import type { RouterContext } from './root';

/** Prefetches a page of the guide, and loads the texts around it. Throws a redirect to /404 when there is no such page. */
export async function openGuide({ queries }: RouterContext, name: string): Promise<void> {
  const page = asGuidePage(name);
  if (!page) throw redirect({ to: '/404', replace: true });
  const read = queries.prefetchQuery(guideQuery(i18next.language, page));
  await loadTexts(['help']);
  await read;
}

import { queryOptions } from '@tanstack/react-query';
import { GUIDE, type GuidePage } from '~/lib/guide';

const FOLDER = '../../../../docs/guide';
const texts = import.meta.glob<string>('../../../../docs/guide/{en,fr}/*.md', { query: '?raw', import: 'default' });
const pictures = import.meta.glob<string>('../../../../docs/guide/images/{en,fr}/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** All pages, in reading order. */
export const GUIDE_PAGES: readonly GuidePage[] = Object.values(GUIDE).flat();

export const asGuidePage = (name: string): GuidePage | undefined => GUIDE_PAGES.find((page) => page === name);

/** What a page says, as Markdown. It changes with the client only. */
export const guideQuery = (language: string, page: GuidePage) =>
  queryOptions({
    queryKey: ['guide', language, page],
    queryFn: async () => {
      const load = texts[`${FOLDER}/${language}/${page}.md`];
      if (!load) throw new Error(`no page '${page}' in '${language}'`);
      return load();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The address of a picture that a page names relative to itself; undefined when there is none. */
export const pictureAddress = (source: string): string | undefined =>
  pictures[`${FOLDER}/${source.replace('../', '')}`];

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { FIRST_PAGE } from '~/lib/listSearch';
import { actionQueryString } from '../actionQuery';
import { answer, client, done } from '../client';
import type { components } from '../schema';

export type MailTemplate = components['schemas']['MailTemplateView'];
export type MailTemplateBody = components['schemas']['MailTemplateBody'];
export type PreviewBody = components['schemas']['PreviewBody'];

/** The prefix of every query of templates. */
export const mailTemplatesKey = ['mailTemplates'] as const;

/** The active templates, with what came of their mails. */
export const mailTemplatesQuery = queryOptions({
  queryKey: [...mailTemplatesKey, 'list'],
  queryFn: async ({ signal }): Promise<MailTemplate[]> =>
    (await answer(client.GET('/api/mailTemplates', { signal }))).data,
});

/** All versions of a template, the newest first. */
export const templateVersionsQuery = (firstId: number) =>
  queryOptions({
    queryKey: [...mailTemplatesKey, 'versions', firstId],
    queryFn: async ({ signal }): Promise<MailTemplate[]> =>
      (await answer(client.GET('/api/mailTemplates', { params: { query: { versionsOf: firstId } }, signal }))).data,
  });

/** A template filled in on a case. The one before stays until the next is there. */
export const templatePreviewQuery = (body: PreviewBody) =>
  queryOptions({
    queryKey: [...mailTemplatesKey, 'preview', body],
    queryFn: async ({ signal }) => (await answer(client.POST('/api/mailTemplates/preview', { body, signal }))).data,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** Adds a template. */
export const addMailTemplate = async (body: MailTemplateBody): Promise<MailTemplate> =>
  (await answer(client.POST('/api/mailTemplates', { body }))).data;

/** Changes the newest version of a template; if it was used, the answer is the next one. */
export const changeMailTemplate = async (id: number, body: MailTemplateBody): Promise<MailTemplate> =>
  (await answer(client.PATCH('/api/mailTemplates/{id}', { params: { path: { id } }, body }))).data;

/** Sends a template, filled in on a case, to the caller. */
export const sendTestMail = (body: PreviewBody): Promise<void> =>
  done(client.POST('/api/mailTemplates/test', { body }));

/** Cases that a preview leafs through: enough to see a template on different ones. */
const PREVIEW_CASES = 50;

/** The cases with most views, of a brand or of all. */
export const previewCasesQuery = (brandId: number | null) =>
  queryOptions({
    queryKey: [...mailTemplatesKey, 'cases', brandId],
    queryFn: async ({ signal }) => {
      const query = actionQueryString({
        page: FIRST_PAGE,
        perPage: PREVIEW_CASES,
        order: 'priority',
        direction: 'DESC',
        filters: brandId === null ? {} : { brandID: { type: 'inq', value: [brandId] } },
      });
      return (await answer(client.GET('/api/actions', { querySerializer: () => query, signal }))).data;
    },
  });

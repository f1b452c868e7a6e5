import { redirect } from '@tanstack/react-router';
import { ApiError } from '~/api/errors';
import { userQuery } from '~/api/queries/users';
import { loadTexts } from '~/i18n';
import type { RouterContext } from './context';

/** Loads a user before the form is shown; one that is not there leads to the page that says so. */
export async function openUser({ queries }: RouterContext, id: string): Promise<void> {
  const texts = loadTexts(['users', 'avatar']);
  try {
    await queries.fetchQuery(userQuery(id));
  } catch (error) {
    const isGone = error instanceof ApiError && error.status === 404;
    throw isGone ? redirect({ to: '/404', replace: true }) : error;
  }
  await texts;
}

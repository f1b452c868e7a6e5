import { currentLanguage } from '~/i18n';
import { asLanguage, rememberLanguage } from '~/i18n/language';
import { local, session } from '~/lib/storage';
import { answer, client, done } from './client';

/** Seconds an administrator may work as somebody else, if the own session lasts so long. */
const IMPERSONATION_TTL = 120_000;

/** Goes on as somebody else. The server keeps the own session in a cookie beside the new one; what was kept for the own eyes is dropped. */
export async function workAs(userId: string): Promise<void> {
  const call = client.POST('/api/UserAccounts/{id}/accessTokens', {
    params: { path: { id: Number(userId) } },
    body: { ttl: IMPERSONATION_TTL },
  });
  await answer(call);
  startOver();
}

/** Goes back to the own session. */
export async function restore(): Promise<void> {
  await done(client.POST('/api/UserAccounts/restore'));
  startOver();
}

/** Nothing of one user may be seen by the other: storage is emptied and the page loaded anew, from home. The language is the visit's. */
function startOver(): void {
  const language = asLanguage(currentLanguage());
  local.clear();
  session.clear();
  if (language) rememberLanguage(language);
  window.location.assign('/');
}

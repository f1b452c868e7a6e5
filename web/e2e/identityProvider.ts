import type { Server } from 'node:http';
import { expect, type Page } from '@playwright/test';
import Provider from 'oidc-provider';

/** Where the stack expects its provider of OpenID Connect; `compose/checks/browser.sh` chooses it. */
function issuer(): URL {
  const address = process.env.VIGIE_PROVIDER;
  if (!address) throw new Error('set VIGIE_PROVIDER to the issuer that the stack was started with');
  return new URL(address);
}

/** Persons of the provider are known by their address, which it has verified unless it says so. */
const UNVERIFIED = 'unverified+';

/** Starts the provider, for the client that the stack at `baseURL` is. */
export function startProvider(baseURL: string): Promise<Server> {
  const { origin, port } = issuer();
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: 'vigie',
        client_secret: 'client-secret',
        redirect_uris: [new URL('/api/sign-in/provider/callback', baseURL).href],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['for tests alone'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id.replace(UNVERIFIED, ''), email_verified: !id.startsWith(UNVERIFIED) }),
    }),
  });
  return new Promise((resolve, reject) => {
    const server = provider.listen(Number(port), () => resolve(server));
    server.once('error', reject);
  });
}

/** Signs in on the pages of the provider, and agrees. */
export async function signInThere(page: Page, email: string): Promise<void> {
  await expect(page).toHaveURL((url) => url.origin === issuer().origin);
  await page.getByPlaceholder('Enter any login').fill(email);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** The person with this address, which the provider has not verified. */
export const unverified = (email: string): string => `${UNVERIFIED}${email}`;

import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { UserDetail } from '~/api/queries/users';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { toast } from '~/ui/toast';
import { UserForm } from './UserForm';

const user: UserDetail = {
  id: '4',
  email: 'c@kelmora.example',
  firstName: '',
  lastName: '',
  avatarId: null,
  undelivered: null,
  company: { value: 2, label: 'Kelmora Retail' },
  roles: [],
};
const saved = vi.fn();
let rolesFail: boolean;

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['users', 'avatar', 'common']);
});

beforeEach(() => {
  rolesFail = false;
  saved.mockReset();
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { method, url } = input as Request;
    if (method === 'PUT' && rolesFail) {
      return Response.json({ error: { statusCode: 503, message: 'busy' } }, { status: 503 });
    }
    return Response.json(url.includes('/api/Roles') ? [{ id: 3, name: 'operator' }] : []);
  });
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

async function giveRole() {
  renderWithProviders(<UserForm user={user} save={async () => '4'} onSaved={saved} />);
  await userEvent.click(page.getByRole('combobox', { name: 'Roles' }));
  await userEvent.click(page.getByRole('option', { name: 'operator' }));
  await userEvent.click(page.getByRole('button', { name: 'Save' }));
}

it('says that a user is saved with its roles', async () => {
  await giveRole();
  await expect.element(page.getByText('User updated')).toBeVisible();
  expect(saved).toHaveBeenCalledWith('4');
});

it('says that a role was not given, instead of success', async () => {
  rolesFail = true;
  await giveRole();
  await expect
    .element(page.getByText(/^The user is saved, but not every role: The service is not available/))
    .toBeVisible();
  expect(page.getByText('User updated').query()).toBeNull();
  expect(saved).toHaveBeenCalledWith('4');
});

import { QueryClient } from '@tanstack/react-query';
import type { AnyRoute } from '@tanstack/react-router';
import { describe, expect, it } from 'vitest';
import type { Me } from '~/api/session';
import { makeRouter } from '../routes';
import { crumbsOf, menuFor, openWorkspaces, workspaceOf } from './navigation';

const user = { id: 2, roles: [] } as unknown as Me;
const routes = Object.values(makeRouter({ queries: new QueryClient() }).routesById).filter(
  (route) => !route.isRoot,
) as unknown as AnyRoute[];

const route = (fullPath: string, staticData: object) => ({ fullPath, options: { staticData } }) as unknown as AnyRoute;

describe('the side menu', () => {
  it('lists the screens of the table under their sections', () => {
    const menu = menuFor(routes, user).map(({ section, items }) => [section, items.map(({ path }) => path)]);
    expect(menu).toEqual([
      ['home', ['/']],
      ['monitoring', ['/terms', '/domains', '/comparator']],
      ['notifications', ['/advertisers', '/alerts']],
      ['settings', ['/tags', '/terms-management']],
      ['stopAndGo', ['/stop-go-news']],
      ['help', ['/help']],
    ]);
    const admin = { id: 1, roles: [{ id: 1, name: 'admin' }] } as unknown as Me;
    const settings = menuFor(routes, admin).find(({ section }) => section === 'settings');
    expect(settings?.section).toBe('settings');
    expect(settings?.items.map(({ path }) => path)).toEqual([
      '/tags',
      '/terms-management',
      '/brands',
      '/google-connect',
      '/company-account',
      '/users',
      '/mail-templates',
      '/operations',
    ]);
    const flags = { header_workspaces_switch: false, stopgo_dashboard: true };
    expect(
      menuFor(routes, admin, flags)
        .find(({ section }) => section === 'stopAndGo')
        ?.items.map(({ path }) => path),
    ).toEqual(['/stop-go', '/stop-go-management', '/stop-go-keyword-management', '/stop-go-savings', '/stop-go-news']);
    const workingAsAnother = { ...admin, impersonatedBy: 7 } as unknown as Me;
    expect(
      menuFor(routes, workingAsAnother)
        .find(({ section }) => section === 'settings')
        ?.items.map(({ path }) => path),
    ).not.toContain('/users');
  });

  it('hides what one may not open', () => {
    const hidden = [
      route('/users', { access: 'admin', menu: { section: 'settings' }, title: 'users' }),
      route('/stop-go', { access: 'user', flag: 'stopgo_dashboard', menu: { section: 'stopAndGo' }, title: 'x' }),
    ];
    const admin = { id: 1, roles: [{ id: 1, name: 'admin' }] } as unknown as Me;
    expect(menuFor(hidden, user)).toEqual([]);
    expect(menuFor(hidden, admin).map(({ section }) => section)).toEqual(['settings']);
    const flags = { header_workspaces_switch: false, stopgo_dashboard: true };
    expect(menuFor(hidden, user, flags).map(({ section }) => section)).toEqual(['stopAndGo']);
  });
});

describe('the breadcrumb', () => {
  it('is made of the segments that are pages', () => {
    expect(crumbsOf('/domains', routes)).toEqual([
      { path: '/', title: 'title.dashboard' },
      { path: '/domains', title: 'title.domains' },
    ]);
    expect(crumbsOf('/terms/capture/0b7c', routes).at(-1)).toEqual({
      path: '/terms/capture/0b7c',
      title: 'title.capture',
    });
    const known = [route('/', { title: 'home' }), route('/a', { title: 'a' }), route('/a/b/c', { title: 'c' })];
    expect(crumbsOf('/a/b/c', known).map(({ path }) => path)).toEqual(['/', '/a', '/a/b/c']);
  });
});

describe('the workspaces', () => {
  it('are offered once there are two to switch between', () => {
    expect(openWorkspaces(['/', '/domains'])).toEqual([]);
    expect(openWorkspaces(['/todo', '/', '/actions']).map(({ path }) => path)).toEqual(['/', '/actions', '/todo']);
  });

  it('hold every page outside the two of actions in statistics', () => {
    expect(['/', '/domains', '/actions', '/action/5', '/todo'].map(workspaceOf)).toEqual([
      '/',
      '/',
      '/actions',
      '/actions',
      '/todo',
    ]);
  });
});

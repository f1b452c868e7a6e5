import { searchCompanies } from '~/api/queries/companies';
import { type UserRow, usersQuery } from '~/api/queries/users';
import { FIRST_PAGE } from '~/lib/listSearch';
import { defineList } from '~/list/types';
import { CreateUserLink } from './CreateUserLink';
import { AvatarCell, EmailCell } from './cells';
import { UserCard } from './UserCard';
import { UserMenu } from './UserMenu';

/** Who can sign in. */
export const users = defineList<['users', 'common', 'list']>()<UserRow, { total: number }>({
  path: '/users',
  ns: ['users', 'common', 'list'],
  title: 'common:title.users',
  filters: {
    companyAccountId: {
      kind: 'asyncChoice',
      label: 'filter.company',
      group: 'group.account',
      quick: true,
      search: searchCompanies,
      exclude: true,
    },
    email: { kind: 'text', label: 'filter.email', group: 'group.account', quick: true },
    firstName: { kind: 'text', label: 'filter.firstName', group: 'group.person', quick: true },
    lastName: { kind: 'text', label: 'filter.lastName', group: 'group.person', quick: true },
  },
  sorts: ['email', 'firstName', 'lastName'],
  perPage: [30, 100, 200, 500, 'all'],
  defaults: () => ({ page: FIRST_PAGE, perPage: 30, order: 'firstName', direction: 'DESC', filters: {} }),
  columns: ({ t }) => [
    { colId: 'avatar', headerName: t('column.avatar'), width: 100, cellRenderer: AvatarCell },
    { colId: 'email', headerName: t('column.email'), field: 'email', flex: 2, minWidth: 220, cellRenderer: EmailCell },
    { colId: 'firstName', headerName: t('column.firstName'), field: 'firstName', flex: 1, minWidth: 130 },
    { colId: 'lastName', headerName: t('column.lastName'), field: 'lastName', flex: 1, minWidth: 130 },
    { colId: 'company', headerName: t('column.company'), field: 'company', flex: 1, minWidth: 150 },
    {
      colId: 'actions',
      headerName: t('column.actions'),
      width: 100,
      resizable: false,
      cellRenderer: ({ data }: { data?: UserRow }) => data && <UserMenu row={data} />,
    },
  ],
  query: usersQuery,
  counters: ({ total }, { t, fmt }) => [
    { key: 'total', value: fmt.count(total), label: t('counter', { count: total }) },
  ],
  total: ({ total }) => total,
  rowName: ({ email }) => email,
  rowText: (row) => [row.email, row.firstName, row.lastName, row.company].join(' '),
  exportName: 'users',
  failure: 'failure',
  card: UserCard,
  actions: CreateUserLink,
});

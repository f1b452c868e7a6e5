import { Button, Tooltip } from '@mantine/core';
import { IconMailExclamation, IconUserPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { searchCompanies } from '~/api/queries/companies';
import { type Undelivered, type UserRow, userName, usersQuery } from '~/api/queries/users';
import { FIRST_PAGE } from '~/lib/listSearch';
import { defineList } from '~/list/types';
import { UserAvatar } from '~/ui/UserAvatar';
import { UserMenu } from './UserActions';
import styles from './Users.module.css';

const AVATAR_SIZE = { cell: 28, card: 40 } as const;

interface Cell {
  data?: UserRow;
}

const AvatarCell = ({ data }: Cell) =>
  data && (
    <span className={styles.avatarCell}>
      <UserAvatar name={userName(data)} avatarId={data.avatarId} size={AVATAR_SIZE.cell} />
    </span>
  );
const EmailCell = ({ data }: Cell) => data && <UserLink row={data} />;
const MenuCell = ({ data }: Cell) => data && <UserMenu row={data} />;

export const usersList = defineList<['users', 'common', 'list']>()<UserRow, { total: number }>({
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
    { colId: 'actions', headerName: t('column.actions'), width: 100, resizable: false, cellRenderer: MenuCell },
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

/** The e-mail address as a link to the user, marked where the last mail was not delivered. */
function UserLink({ row }: { row: UserRow }) {
  return (
    <>
      <Link to="/users/$id" params={{ id: row.id }} className={styles.link}>
        {row.email}
      </Link>
      {row.undelivered && <UndeliveredIcon mail={row.undelivered} />}
    </>
  );
}

/** The icon of a mail that could not be delivered, with the reason as its tooltip and label. */
function UndeliveredIcon({ mail }: { mail: Undelivered }) {
  const { t } = useTranslation('users');
  const text = t('undelivered.short', { reason: mail.reason });
  return (
    <Tooltip label={text} multiline maw={360}>
      <span role="img" aria-label={text} className={styles.undelivered}>
        <IconMailExclamation size={16} aria-hidden />
      </span>
    </Tooltip>
  );
}

/** A user as a card, for narrow screens, with the same menu as the table row. */
function UserCard({ row }: { row: UserRow }) {
  return (
    <article className={styles.card}>
      <UserAvatar name={userName(row)} avatarId={row.avatarId} size={AVATAR_SIZE.card} />
      <div className={styles.person}>
        <h2 className={styles.name}>{userName(row)}</h2>
        <UserLink row={row} />
        {row.company && <p className={styles.company}>{row.company}</p>}
      </div>
      <UserMenu row={row} />
    </article>
  );
}

/** A button that leads to the page for a new user. */
function CreateUserLink() {
  const { t } = useTranslation('users');
  return (
    <Button component={Link} to="/users/create" leftSection={<IconUserPlus size={16} />}>
      {t('create')}
    </Button>
  );
}

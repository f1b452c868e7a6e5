-- The entries of outside dashboards hold logins and passwords. They are kept encrypted, with a key that the program has, and the old column says only
-- which entries there are. What stood there goes aside until `vigie migrate`, which has the key, seals it right after this.
alter table user_account
    add column dashboards_sealed text check (dashboards_sealed <> ''),
    add column dashboards_unsealed jsonb;
update user_account set
    dashboards_unsealed = dashboards,
    dashboards = (select coalesce(jsonb_object_agg(name, '{}'::jsonb), '{}') from jsonb_object_keys(dashboards) as name)
    where dashboards is not null;

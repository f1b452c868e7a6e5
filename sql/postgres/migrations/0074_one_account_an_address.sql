-- One account has an address, whatever its case. Accounts that shared one before keep theirs and sign in with it as it is spelled: all but the one
-- that was made first are marked, until their address changes.
alter table user_account add column shares_address boolean not null default false;
update user_account u set shares_address = true
    where exists (select from user_account o where lower(o.email) = lower(u.email) and o.id < u.id);

create function address_is_ones_own() returns trigger language plpgsql as $$
begin
    new.shares_address := false;
    return new;
end $$;
create trigger user_account_address before update of email on user_account
    for each row when (lower(old.email) is distinct from lower(new.email)) execute function address_is_ones_own();

create unique index user_account_address_key on user_account (lower(email)) where not shares_address;

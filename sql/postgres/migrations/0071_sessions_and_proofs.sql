-- A token that a session makes ends with it, not only one with which somebody works as another: the row goes with the session's, and its time
-- is over with the session's at the latest.
alter table access_token
    drop constraint access_token_check,
    add constraint access_token_impersonation_check check (impersonated_by is null or parent_id is not null),
    add column ends_by timestamptz;
update access_token t
    set ends_by = parent.created + least(parent.ttl, 3153600000) * interval '1 second'
    from access_token parent where parent.id = t.parent_id;

-- Of the proof of an address only the SHA-256 is kept, as of any token, and it has an end.
alter table user_account add column verification_ends timestamptz;
update user_account
    set verification_token = encode(sha256(convert_to(verification_token, 'UTF8')), 'hex'), verification_ends = now() + interval '7 days'
    where verification_token is not null;

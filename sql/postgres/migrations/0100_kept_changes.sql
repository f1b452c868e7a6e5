-- What changes replaced, for the moment in which their author can undo them. A client names an operation by a UUID of its own, so that several calls
-- are undone as one; operations of different authors are different, whatever their names.
create table kept_change (
    id bigint generated always as identity primary key,
    actor_id integer not null references user_account on delete cascade,
    -- Whom an administrator worked as.
    acting_as_id integer,
    operation uuid not null,
    at timestamptz not null,
    model text not null,
    row_id integer not null,
    -- The changed fields, as clients see them.
    before jsonb not null check (jsonb_typeof(before) = 'object'),
    after jsonb not null check (jsonb_typeof(after) = 'object')
);
create index kept_change_operation on kept_change (actor_id, operation);
create index kept_change_at on kept_change (at);

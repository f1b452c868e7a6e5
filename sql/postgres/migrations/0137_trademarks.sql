-- Registered marks of a brand: what a complaint to an engine is founded on.
create table trademark (
    id integer generated always as identity primary key,
    brand_id integer not null references brand on delete cascade,
    mark text not null check (btrim(mark) <> '' and char_length(mark) <= 255),
    -- Where it is registered, as in EUIPO.
    office text not null check (btrim(office) <> '' and char_length(office) <= 80),
    number text not null check (btrim(number) <> '' and char_length(number) <= 80),
    -- Countries it holds in, two letters; empty: not said.
    countries text[] not null default '{}',
    -- Classes of Nice, 1 to 45.
    classes integer[] not null default '{}',
    owner text not null check (btrim(owner) <> '' and char_length(owner) <= 255),
    -- The uploaded proof that the sender acts for the owner.
    authorisation_id uuid references file on delete set null,
    -- Goes up with each change, so that nobody overwrites what another changed meanwhile.
    version integer not null default 1,
    unique (brand_id, office, number)
);
create index trademark_authorisation on trademark (authorisation_id) where authorisation_id is not null;

-- The numbers that an engine gave to complaints about a case; the newest is the one that counts.
create table complaint (
    id integer generated always as identity primary key,
    action_id integer not null references action on delete cascade,
    -- Null: the number before was taken back.
    number text check (btrim(number) <> '' and char_length(number) <= 80),
    at timestamptz not null,
    by_user integer references user_account on delete set null
);
create index complaint_action on complaint (action_id, id);
create index complaint_by on complaint (by_user) where by_user is not null;

-- What stored ads of a term were given of the term as it is now. A row without `applied_at` is under way and is brought to its end.
create table reattribution (
    id bigint generated always as identity primary key,
    term_id integer not null references term on delete cascade,
    -- Null: the term has none.
    brand_id integer references brand on delete cascade,
    keyword_type text not null,
    begun_at timestamptz not null default now(),
    applied_at timestamptz
);
create index reattribution_term on reattribution (term_id);
create index reattribution_brand on reattribution (brand_id) where brand_id is not null;
create unique index reattribution_open on reattribution (term_id) where applied_at is null;

-- What became of the captures that were planned, by day (UTC), term and device: the ledger added up, so that the coverage of a long period is
-- read from a row a day instead of one a slot. Days that are not sealed are read from the ledger itself, so a day can be late, but not wrong.
create table ledger_day (
    day date not null,
    term_id integer not null references term on delete cascade,
    device device not null,
    planned integer not null check (planned >= 0),
    valid integer not null check (valid >= 0),
    doubtful integer not null check (doubtful >= 0),
    failed integer not null check (failed >= 0),
    missed integer not null check (missed >= 0),
    -- The days of a term lie together and are read from the index alone.
    primary key (term_id, day, device) include (planned, valid, doubtful, failed, missed)
);
-- Days are written one after the other.
create index ledger_day_day on ledger_day using brin (day);

-- The days whose rows stand for all of their slots.
create table ledger_day_seal (
    day date primary key,
    sealed_at timestamptz not null default now()
);

-- Whoever adds up a day, or changes what it was added up from, holds this to the end of the transaction.
create function hold_ledger_day(held date) returns void language sql as $$
    select pg_advisory_xact_lock(7061, held - date '1970-01-01')
$$;

-- Another verdict on a capture opens its day.
create function open_ledger_day() returns trigger language plpgsql as $$
declare
    changed constant date := (new.slot_ts at time zone 'UTC')::date;
begin
    perform hold_ledger_day(changed);
    delete from ledger_day_seal where day = changed;
    return null;
end $$;
create trigger capture_verdict_changed after update on capture
    for each row when (old.verdict is distinct from new.verdict) execute function open_ledger_day();

create index slot_slot_ts on slot (slot_ts);
create index capture_without_results on capture (slot_ts) where verdict <> 'results';

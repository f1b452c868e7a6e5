-- What administrators stop, ask for again and set aside, and who did it.

-- Engines on which no capture starts until an administrator lets them go on.
create table engine_pause (
    engine text primary key check (engine in ('google', 'bing')),
    since timestamptz not null default now(),
    user_id integer references user_account on delete set null,
    user_name text not null,
    reason text check (reason <> '' and char_length(reason) <= 500)
);

-- The journal of administrators' acts on the operations page, append-only like audit_entry; the list of runs to be looked at asks it what was
-- handled. Names stand in it, and no references, so that an entry still says who and what after the user or the term is gone.
create table operator_act (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    user_id integer not null,
    user_name text not null,
    act text not null check (act in ('pause', 'resume', 'retry', 'discard')),
    engine text not null check (engine in ('google', 'bing')),
    slot_id bigint,
    -- The public name of the capture acted on, and the words that were searched.
    capture_id uuid,
    term text,
    note text check (note <> ''),
    check ((capture_id is not null) = (act in ('retry', 'discard'))),
    check ((slot_id is null) = (capture_id is null))
);
create index operator_act_slot on operator_act (slot_id, at) where slot_id is not null;
create trigger operator_act_append_only before update or delete on operator_act
    for each row execute function refuse_change();

-- The list of failures an administrator looks through.
create index slot_failed on slot (settled_at desc) where state = 'failed';

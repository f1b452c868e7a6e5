-- Times during which an engine found nothing at all for a term, on one device and by one way (this machine's address, a proxy). A page
-- without any result may be the soft way to refuse: it says 'no ads' only once the spell is confirmed.
create table empty_spell (
    id bigint generated always as identity primary key,
    term_id integer not null references term on delete cascade,
    device device not null,
    engine text not null check (engine in ('google', 'bing')),
    way text not null,
    begun_at timestamptz not null,
    last_at timestamptz not null,
    captures integer not null default 1 check (captures > 0),
    -- Whether the term had results on this device before.
    had_results boolean not null,
    -- What the last page said, without the words of the term.
    said text not null,
    -- The days on which nothing was found while other terms had results on the same way; three confirm the spell.
    days date[] not null,
    confirmed_at timestamptz,
    ended_at timestamptz,
    check (ended_at is null or ended_at >= last_at)
);
create unique index empty_spell_open on empty_spell (term_id, device, way) where ended_at is null;
create index empty_spell_term on empty_spell (term_id, device, begun_at);
create index empty_spell_lately on empty_spell (engine, way, last_at) where ended_at is null;

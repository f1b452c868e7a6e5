-- Authorised partners and resellers of a brand (decision D213): while one lasts, its ads open no case unless they break a condition.
create table brand_partner (
    id integer generated always as identity primary key,
    brand_id integer not null references brand on delete cascade,
    -- As `WebHost` spells it; it covers the hosts below it like an official domain.
    domain text not null check (char_length(domain) between 1 and 253),
    kind text not null check (kind in ('partner', 'reseller')),
    -- Words that its text ads may not contain.
    forbidden_words text[] not null default '{}',
    -- Whether its text ads may not be above the first ad of the brand's own.
    below_own boolean not null default false,
    note text check (char_length(note) <= 5000),
    -- The last day (UTC); null for no end.
    ends_on date,
    -- Goes up with each change, so that nobody overwrites what another changed meanwhile.
    version integer not null default 1,
    unique (brand_id, domain)
);

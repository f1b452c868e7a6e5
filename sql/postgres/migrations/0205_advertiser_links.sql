-- What persons said about two domains: whether one advertiser is behind both. The evidence is read from ads, never stored here.
create table advertiser_link (
    id integer generated always as identity primary key,
    -- In alphabetical order.
    one text not null check (length(one) between 1 and 253),
    other text not null check (length(other) between 1 and 253),
    verdict text not null check (verdict in ('same', 'different')),
    decided_by integer references user_account (id) on delete set null,
    decided_at timestamptz not null,
    constraint advertiser_link_order check (one < other),
    constraint advertiser_link_pair unique (one, other)
);
create index advertiser_link_other on advertiser_link (other);
create index advertiser_link_decided_by on advertiser_link (decided_by);

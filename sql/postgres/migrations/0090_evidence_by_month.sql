-- The chain of evidence lies in months of its days. What a day ended with is kept for good, so that the chain goes on over days whose entries
-- are gone.
set local statement_timeout = 0;

create table evidence_day (
    day date primary key,
    -- How many there are, and the digest of the last.
    entries integer not null check (entries > 0),
    digest bytea not null check (octet_length(digest) = 32)
);
insert into evidence_day (day, entries, digest)
select distinct on (day) day, position, digest from evidence_entry order by day, position desc;

select put_in_months('evidence_entry', 'day');

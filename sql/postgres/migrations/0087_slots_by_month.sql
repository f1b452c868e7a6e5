-- Slots lie in months of the time they were due. Their ids and the names of their captures carry that time: a row is found by its id in the table
-- of one month, and an id that is unique within a month is unique.
set local statement_timeout = 0;

create sequence slot_number;
select setval('slot_number', coalesce(max(id), 0) + 1, false) from slot;

-- The id of a slot is the year and the month of its time and a number: 202611 0000000042.
create function slot_id_at(at timestamptz) returns bigint language sql volatile as $$
    select to_char(at at time zone 'UTC', 'YYYYMM')::bigint * 10000000000 + nextval('slot_number')
$$;

-- The months in which a slot with this id can lie: the beginning, and the end, which is not part of them. Ids of before they carried the month
-- can lie in any.
create function slots_from(id bigint) returns timestamptz language sql immutable parallel safe as $$
    select case when id < 10000000000 then '-infinity'::timestamptz else
        (timestamp '2000-01-01' + make_interval(
            years => (id / 1000000000000)::integer - 2000, months => (id / 10000000000 % 100)::integer - 1)) at time zone 'UTC'
    end
$$;
create function slots_until(id bigint) returns timestamptz language sql immutable parallel safe as $$
    select case when id < 10000000000 then 'infinity'::timestamptz else
        (timestamp '2000-01-01' + make_interval(
            years => (id / 1000000000000)::integer - 2000, months => (id / 10000000000 % 100)::integer)) at time zone 'UTC'
    end
$$;

-- A name for the capture of a slot of this time, that nobody can guess: a UUID of version 7, 48 bits of milliseconds and 74 random ones.
create function capture_id_at(at timestamptz) returns uuid language sql volatile as $$
    select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(random.digits, 14))::uuid
    from (select replace(gen_random_uuid()::text, '-', '') as digits) random
$$;

-- The times that the slot of a capture of this name can have: the beginning, and the end, which is not part of them. Names of before they carried
-- the time can have any.
create function captures_from(id uuid) returns timestamptz language sql immutable parallel safe as $$
    select case when substr(id::text, 15, 1) <> '7' then '-infinity'::timestamptz else
        (timestamp 'epoch' + ('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint * interval '1 millisecond')
            at time zone 'UTC'
    end
$$;
create function captures_until(id uuid) returns timestamptz language sql immutable parallel safe as $$
    select case when substr(id::text, 15, 1) <> '7' then 'infinity'::timestamptz else
        (timestamp 'epoch' + (('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint + 1) * interval '1 millisecond')
            at time zone 'UTC'
    end
$$;

-- What points at slots has a life of its own from here on: no reference to them or to captures hinders the drop of a month.
alter table failed_page drop constraint failed_page_slot_id_fkey;
alter table capture drop constraint capture_slot_id_fkey;

alter table slot alter id drop identity, alter capture_id drop default;
select put_in_months('slot', 'slot_ts');
alter table slot
    add constraint slot_id_tells_month check (slot_ts >= slots_from(id) and slot_ts < slots_until(id)),
    add constraint slot_capture_tells_time check (slot_ts >= captures_from(capture_id) and slot_ts < captures_until(capture_id));

create function name_slot() returns trigger language plpgsql as $$
begin
    new.id := coalesce(new.id, slot_id_at(new.slot_ts));
    new.capture_id := coalesce(new.capture_id, capture_id_at(new.slot_ts));
    return new;
end $$;
create trigger slot_named before insert on slot for each row execute function name_slot();

-- The last runs of all terms.
create index slot_newest on slot (slot_ts desc, id desc);

-- Running totals of `ledger_day`: what became of all planned captures up to the end of a day, by term and device. The coverage of any days is
-- the difference of two of them. A day without slots has its rows, too. Days between the first and the last one have no gap, and each holds what
-- `ledger_day` has of the days from the first on, whether these were opened again or not: whoever reads takes opened ones off.
--
-- Terms are not referenced: rows of a deleted one are read by nobody and not carried on.
create table ledger_total (
    day date not null,
    term_id integer not null,
    device device not null,
    planned integer not null,
    valid integer not null,
    doubtful integer not null,
    failed integer not null,
    missed integer not null,
    -- A day lies together and is read from the index alone.
    primary key (day, term_id, device) include (planned, valid, doubtful, failed, missed)
);

-- The days that have running totals.
create table ledger_total_day (
    day date primary key
);

-- A change of what was added up is a change of the totals from that day on.
create function change_ledger_totals() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into ledger_total (day, term_id, device, planned, valid, doubtful, failed, missed)
        select t.day, c.term_id, c.device, c.planned, c.valid, c.doubtful, c.failed, c.missed
        from after_change c join ledger_total_day t on t.day >= c.day
        on conflict (day, term_id, device) do update set planned = ledger_total.planned + excluded.planned,
            valid = ledger_total.valid + excluded.valid, doubtful = ledger_total.doubtful + excluded.doubtful,
            failed = ledger_total.failed + excluded.failed, missed = ledger_total.missed + excluded.missed;
    elsif tg_op = 'UPDATE' then
        update ledger_total t
        set planned = t.planned + c.planned - b.planned, valid = t.valid + c.valid - b.valid, doubtful = t.doubtful + c.doubtful - b.doubtful,
            failed = t.failed + c.failed - b.failed, missed = t.missed + c.missed - b.missed
        from after_change c join before_change b using (day, term_id, device) join ledger_total_day d on d.day >= c.day
        where t.day = d.day and t.term_id = c.term_id and t.device = c.device;
    else
        update ledger_total t
        set planned = t.planned - b.planned, valid = t.valid - b.valid, doubtful = t.doubtful - b.doubtful,
            failed = t.failed - b.failed, missed = t.missed - b.missed
        from before_change b join ledger_total_day d on d.day >= b.day
        where t.day = d.day and t.term_id = b.term_id and t.device = b.device;
    end if;
    return null;
end $$;
create trigger ledger_day_made after insert on ledger_day referencing new table as after_change
    for each statement execute function change_ledger_totals();
create trigger ledger_day_changed after update on ledger_day referencing old table as before_change new table as after_change
    for each statement execute function change_ledger_totals();
create trigger ledger_day_gone after delete on ledger_day referencing old table as before_change
    for each statement execute function change_ledger_totals();

-- Carries the totals on over days that are sealed as a whole, as many at once as asked. Answers how many there were.
create function carry_ledger_totals(most integer) returns integer language plpgsql as $$
declare
    last date := (select max(day) from ledger_total_day);
    next date;
    carried integer := 0;
begin
    while carried < most loop
        next := coalesce(last + 1, (select min(day) from ledger_day_seal));
        exit when not exists (select from ledger_day_seal where day = next and until is null);
        insert into ledger_total (day, term_id, device, planned, valid, doubtful, failed, missed)
        select next, coalesce(t.term_id, d.term_id), coalesce(t.device, d.device),
            coalesce(t.planned, 0) + coalesce(d.planned, 0), coalesce(t.valid, 0) + coalesce(d.valid, 0),
            coalesce(t.doubtful, 0) + coalesce(d.doubtful, 0), coalesce(t.failed, 0) + coalesce(d.failed, 0),
            coalesce(t.missed, 0) + coalesce(d.missed, 0)
        from (select * from ledger_total where day = last) t
            full join (select * from ledger_day where day = next) d on d.term_id = t.term_id and d.device = t.device
        where d.term_id is not null or exists (select from term where term.id = t.term_id);
        insert into ledger_total_day (day) values (next);
        last := next;
        carried := carried + 1;
    end loop;
    return carried;
end $$;

-- A seal may stand for a day's slots before an instant, so that the running day is added up, too; null: for all of the day.
alter table ledger_day_seal add until timestamptz;

-- Rows of the running day are written anew, so days do not lie one after the other any more.
drop index ledger_day_day;
create index ledger_day_day on ledger_day (day);

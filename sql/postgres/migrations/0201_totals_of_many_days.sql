-- A statement may change several days of one term: what it does to a running total is the sum of them. Before, only one of them counted, and an insert failed.
create or replace function change_ledger_totals() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        insert into ledger_total (day, term_id, device, planned, valid, doubtful, failed, missed)
        select t.day, c.term_id, c.device, sum(c.planned), sum(c.valid), sum(c.doubtful), sum(c.failed), sum(c.missed)
        from after_change c join ledger_total_day t on t.day >= c.day
        group by t.day, c.term_id, c.device
        on conflict (day, term_id, device) do update set planned = ledger_total.planned + excluded.planned,
            valid = ledger_total.valid + excluded.valid, doubtful = ledger_total.doubtful + excluded.doubtful,
            failed = ledger_total.failed + excluded.failed, missed = ledger_total.missed + excluded.missed;
    elsif tg_op = 'UPDATE' then
        update ledger_total t
        set planned = t.planned + s.planned, valid = t.valid + s.valid, doubtful = t.doubtful + s.doubtful, failed = t.failed + s.failed,
            missed = t.missed + s.missed
        from (
            select d.day, c.term_id, c.device, sum(c.planned - b.planned) as planned, sum(c.valid - b.valid) as valid,
                sum(c.doubtful - b.doubtful) as doubtful, sum(c.failed - b.failed) as failed, sum(c.missed - b.missed) as missed
            from after_change c join before_change b using (day, term_id, device) join ledger_total_day d on d.day >= c.day
            group by d.day, c.term_id, c.device
        ) s
        where t.day = s.day and t.term_id = s.term_id and t.device = s.device;
    else
        update ledger_total t
        set planned = t.planned - s.planned, valid = t.valid - s.valid, doubtful = t.doubtful - s.doubtful, failed = t.failed - s.failed,
            missed = t.missed - s.missed
        from (
            select d.day, b.term_id, b.device, sum(b.planned) as planned, sum(b.valid) as valid, sum(b.doubtful) as doubtful,
                sum(b.failed) as failed, sum(b.missed) as missed
            from before_change b join ledger_total_day d on d.day >= b.day
            group by d.day, b.term_id, b.device
        ) s
        where t.day = s.day and t.term_id = s.term_id and t.device = s.device;
    end if;
    return null;
end $$;

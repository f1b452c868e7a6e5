-- Pages of failed attempts lie in months of the time of their slot.
set local statement_timeout = 0;

alter table failed_page add slot_ts timestamptz;
update failed_page f set slot_ts = s.slot_ts from slot s where s.id = f.slot_id;
alter table failed_page alter slot_ts set not null;
select put_in_months('failed_page', 'slot_ts');

-- A slot that goes with its term takes its failed pages along; its capture stays.
create function follow_slot() returns trigger language plpgsql as $$
begin
    delete from failed_page where slot_id = old.id and slot_ts = old.slot_ts;
    update capture set slot_id = null where slot_id = old.id and slot_ts = old.slot_ts;
    return null;
end $$;
create trigger slot_gone after delete on slot for each row execute function follow_slot();

-- Captures, and the organic results of them, lie in months of the time of their slot.
set local statement_timeout = 0;

alter table organic_result drop constraint organic_result_capture_id_fkey;
alter table manifest_capture drop constraint manifest_capture_capture_id_fkey;
alter table reread_journal drop constraint reread_journal_capture_id_fkey;

select put_in_months('capture', 'slot_ts');
alter table capture
    add constraint capture_id_tells_time check (slot_ts >= captures_from(id) and slot_ts < captures_until(id)),
    add constraint capture_slot_tells_month check (slot_ts >= slots_from(slot_id) and slot_ts < slots_until(slot_id));

-- Their organic results too.
alter table organic_result add slot_ts timestamptz;
update organic_result o set slot_ts = c.slot_ts from capture c where c.id = o.capture_id;
alter table organic_result alter slot_ts set not null;
select put_in_months('organic_result', 'slot_ts');

-- The audit log lies in months. Entries are never changed; they go with their month, and in no other way.
set local statement_timeout = 0;

select put_in_months('audit_entry', 'at');

-- Of statements: a table of a month has its own.
create trigger audit_entry_not_emptied before truncate on audit_entry for each statement execute function refuse_change();
do $$
declare
    part regclass;
begin
    for part in select inhrelid from pg_inherits where inhparent = 'audit_entry'::regclass loop
        execute format('create trigger audit_entry_not_emptied before truncate on %s for each statement execute function refuse_change()', part);
    end loop;
end $$;

drop function put_in_months;

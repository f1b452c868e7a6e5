-- An entry of the audit log names its transaction: so a snapshot says whether it saw the change, however late that was committed. Its time is that of the
-- change, and no longer of the beginning of its transaction, which may have waited for others.
alter table audit_entry add column transaction_id xid8 not null default pg_current_xact_id();
alter table audit_entry alter column at set default clock_timestamp();

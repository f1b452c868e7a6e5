-- An entry of the audit log still reads well after the accounts are gone, says what it is about, and names the request that its log lines name.
alter table audit_entry
    add column actor_name text,
    add column acting_as_name text,
    add column model text,
    add column request_id text check (char_length(request_id) <= 64);
create index audit_entry_subject on audit_entry (model, target, id);
create index audit_entry_acting_as on audit_entry (acting_as_id, id) where acting_as_id is not null;

-- What the lists of cases need at a million of them: an index for each order that is offered first, texts found by their trigrams, and counts by status
-- that do not read the cases themselves.

create extension if not exists pg_trgm;

create index action_priority on action (priority desc nulls last, id desc);
create index action_status_priority on action (status, priority desc nulls last, id desc);
create index action_status_requested_all on action (status, requested_date desc nulls last, id desc);
create index action_last_status on action (last_status_date desc nulls last, id desc);
create index action_domain on action (domain, id desc);
-- The extension may be in any schema.
do $$
declare
    home text := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm');
begin
    execute format('create index action_domain_held on action using gin (lower(domain) %I.gin_trgm_ops)', home);
end $$;
create index action_counted on action (status, brand_id, country, engine, last_view);

drop index action_unread;
create index action_unread on action (priority desc nulls last, id desc) where unread_count > 0;
create index email_unread on email (action_id, received_date) where not coalesce(open, false);

drop index action_term_term;
create index action_term_term on action_term (term_id) include (action_id);

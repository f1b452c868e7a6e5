-- The search in the header finds terms by a part of their words.
create extension if not exists pg_trgm;

-- The extension may be in any schema.
do $$
declare
    home text := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_trgm');
begin
    execute format('create index term_words_held on term using gin (lower(term) %I.gin_trgm_ops)', home);
end $$;

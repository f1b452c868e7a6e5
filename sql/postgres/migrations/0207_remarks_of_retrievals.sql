-- What the reader should know of a retrieval that was done, in no language; a note has the words of a failure alone.
alter table google_retrieval
    add column remarks jsonb not null default '[]' check (jsonb_typeof(remarks) = 'array' and pg_column_size(remarks) <= 65536);

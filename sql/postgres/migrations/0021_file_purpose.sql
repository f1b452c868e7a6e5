-- What an uploaded file is for: a picture of a user is readable by all who sign in, an attachment by its owner.
alter table file add column purpose text not null default 'attachment' check (purpose in ('avatar', 'attachment'));
create index file_owner on file (owner_id) where owner_id is not null;

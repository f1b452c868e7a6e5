-- The programs of a company account have an account of their own, to which its API keys belong: it sees what the company sees, and nobody signs in with it.
-- It is no user of the company, so it leaves `company_account_id` empty.
alter table user_account
    add column program_of integer unique references company_account on delete cascade,
    add check (program_of is null or (password_hash is null and company_account_id is null));

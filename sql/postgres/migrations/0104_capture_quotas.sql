-- Captures that may be planned for a company account in a month of 732 hours; null is no limit.
alter table company_account
    add column capture_quota integer check (capture_quota between 0 and 100000000);

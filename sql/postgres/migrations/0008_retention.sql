-- Housekeeping: what scheduled jobs did, and what retention took away.

-- One run of a scheduled job. A run without an outcome is under way, or its process died.
create table job_run (
    id bigint generated always as identity primary key,
    job text not null check (job <> ''),
    -- The time of the schedule it stands for; a run that catches up stands for the newest one missed.
    due_at timestamptz not null,
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    outcome text check (outcome in ('done', 'failed', 'interrupted')),
    -- What it did, or why it failed.
    detail text,
    check ((ended_at is null) = (outcome is null))
);
create index job_run_job on job_run (job, id desc);
create unique index job_run_under_way on job_run (job) where outcome is null;

-- When retention dropped the month of a manifest: none of its rows is in ClickHouse any more, and none is missed.
alter table manifest add rows_gone_at timestamptz check (rows_gone_at is null or state = 'verified');
create index manifest_month on manifest (month) where rows_gone_at is null;

-- Files that are still there, the oldest first, and who names a file.
create index capture_files on capture (taken_at) where files_gone_at is null;
create index failed_page_files on failed_page (taken_at) where files_gone_at is null;
create index capture_page on capture using hash (page_sha256) where files_gone_at is null;
create index capture_view on capture using hash (view_sha256) where files_gone_at is null;
create index capture_screenshot on capture using hash (screenshot_sha256) where files_gone_at is null;
create index failed_page_page on failed_page using hash (page_sha256) where files_gone_at is null;
create index failed_page_view on failed_page using hash (view_sha256) where files_gone_at is null;
create index failed_page_screenshot on failed_page using hash (screenshot_sha256) where files_gone_at is null;
create index file_content on file using hash (sha256);

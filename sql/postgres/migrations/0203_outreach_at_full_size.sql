-- Counts by status of the cases that are narrowed most often, without reading the cases themselves.
drop index action_seen_last;
create index action_seen_last on action (last_view desc nulls last, id desc) include (status, brand_id, country, engine);
create index action_waiting on action (status, waiting) include (brand_id, country, engine) where status in ('inprogress', 'reminded');
drop index action_unread;
create index action_unread on action (priority desc nulls last, id desc) include (status, brand_id, country, engine) where unread_count > 0;
-- What has left on a day is counted before each mail.
create index mail_delivery_left on mail_delivery (settled_at) where state in ('sent', 'unknown');

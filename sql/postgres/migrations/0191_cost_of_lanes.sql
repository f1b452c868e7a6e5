-- What the searches of a lane cost in the last 30 days that Google has final figures of: a cap is on the share of it that is stopped.
alter table stop_go_lane add column month_cost_micros bigint not null default 0;

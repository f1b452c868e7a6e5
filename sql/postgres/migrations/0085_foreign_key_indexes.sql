-- Deleting or renumbering a row looks for the rows that point at it: every foreign key has an index that begins with its columns.
create index capture_localization on capture (localization_id) where localization_id is not null;
create index action_last_term on action (last_term_id) where last_term_id is not null;
create index action_history_actor on action_history (actor_id) where actor_id is not null;
create index note_brand on note (brand_id) where brand_id is not null;
create index note_advertiser_alone on note (advertiser_id) where advertiser_id is not null;
create index note_user on note (user_id) where user_id is not null;
create index access_token_impersonated_by on access_token (impersonated_by) where impersonated_by is not null;
create index mail_outbox_email on mail_outbox (email_id) where email_id is not null;
create index mail_outbox_action on mail_outbox (action_id) where action_id is not null;
create index user_account_avatar on user_account (avatar_id) where avatar_id is not null;
create index engine_pause_user on engine_pause (user_id) where user_id is not null;

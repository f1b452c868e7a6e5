-- The time of an ad is when its page was received, so that is what captures are looked up by. The time of the slot tells runs apart.
drop index capture_brand;
drop index capture_term;
drop index capture_slot_ts;
drop index capture_doubtful;
drop index capture_without_ads;
create index capture_brand on capture (brand_id, taken_at desc);
create index capture_term on capture (term_id, taken_at desc);
create index capture_doubtful on capture (taken_at desc) where doubt is not null;
create index capture_without_ads on capture (taken_at) where n_rows = 0 and verdict = 'results';

comment on column ad_correction.slot_ts is 'When the ad was seen, as it was stored before its correction';

-- The page of the ad does not tell its domain: it is the one its merchant is known by from other ads.
ALTER TABLE ${local}ad_results ${on_cluster} ADD COLUMN IF NOT EXISTS domain_learnt Bool DEFAULT false;

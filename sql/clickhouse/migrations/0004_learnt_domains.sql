-- The page of the ad does not show its domain: it is the one that other ads of its merchant have.
ALTER TABLE ${local}ad_results ${on_cluster} ADD COLUMN IF NOT EXISTS domain_learnt Bool DEFAULT false;

ALTER TABLE ad_results ${on_cluster} ADD COLUMN IF NOT EXISTS domain_learnt Bool DEFAULT false;

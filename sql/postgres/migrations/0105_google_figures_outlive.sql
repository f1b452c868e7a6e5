-- Figures of Google outlive the term and the brand they were read for (decision D211).
alter table google_statistic
    alter column term_id drop not null,
    drop constraint google_statistic_term_id_fkey,
    add constraint google_statistic_term_id_fkey foreign key (term_id) references term on delete set null;

alter table google_connect
    alter column brand_id drop not null,
    drop constraint google_connect_brand_id_fkey,
    add constraint google_connect_brand_id_fkey foreign key (brand_id) references brand on delete set null;

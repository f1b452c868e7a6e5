-- Figures of a term and a day, the two sources side by side: the table of figures is counted and read in the order of an index.
create temporary table by_source on commit drop as select * from google_statistic;
drop table google_statistic;

-- What Google says of one term on one day: SEO from Search Console, SEA from Google Ads. A source that says nothing has no id.
create table google_statistic (
    id bigint generated always as identity primary key,
    google_connect_id integer not null references google_connect on delete cascade,
    -- Null once the term was deleted: figures outlive it (decision D211).
    term_id integer references term on delete set null,
    date date not null,
    -- Each source is deleted by an id of its own (decision D124).
    seo_id integer unique,
    seo_impressions bigint not null default 0 check (seo_impressions >= 0),
    seo_clicks bigint not null default 0 check (seo_clicks >= 0),
    -- Whether Google no longer changes the figures.
    seo_final boolean not null default true,
    sea_id integer unique,
    sea_impressions bigint not null default 0 check (sea_impressions >= 0),
    sea_clicks bigint not null default 0 check (sea_clicks >= 0),
    cost_micros bigint not null default 0 check (cost_micros >= 0),
    currency text check (char_length(currency) = 3),
    sea_final boolean not null default true,
    unique (google_connect_id, term_id, date),
    check (seo_id is not null or sea_id is not null),
    check (seo_id is not null or (seo_impressions, seo_clicks, seo_final) = (0, 0, true)),
    check (sea_id is not null or (sea_impressions, sea_clicks, cost_micros, sea_final) = (0, 0, 0, true))
);
create index google_statistic_term on google_statistic (term_id, date);
-- The order of the table of figures.
create index google_statistic_newest on google_statistic (google_connect_id, date desc, term_id);

-- Ids of figures, of both sources.
create sequence google_figure_id as integer owned by google_statistic.seo_id;
select setval('google_figure_id', (select coalesce(max(id), 0) + 1 from by_source), false);

insert into google_statistic (google_connect_id, term_id, date, seo_id, seo_impressions, seo_clicks, seo_final,
    sea_id, sea_impressions, sea_clicks, cost_micros, currency, sea_final)
select google_connect_id, term_id, date,
    max(id) filter (where source = 'SEO'), coalesce(sum(impressions) filter (where source = 'SEO'), 0),
    coalesce(sum(clicks) filter (where source = 'SEO'), 0), coalesce(bool_and(final) filter (where source = 'SEO'), true),
    max(id) filter (where source = 'SEA'), coalesce(sum(impressions) filter (where source = 'SEA'), 0),
    coalesce(sum(clicks) filter (where source = 'SEA'), 0), coalesce(sum(cost_micros) filter (where source = 'SEA'), 0),
    max(currency) filter (where source = 'SEA'), coalesce(bool_and(final) filter (where source = 'SEA'), true)
from by_source group by google_connect_id, term_id, date, case when term_id is null then id end;

-- Lanes of Stop and Go (decisions D193 to D198): one text in one country of one Google account. All times of statements are parameters.

alter table stop_go_brand
    add column mode text not null default 'observe' check (mode in ('observe', 'propose', 'automatic')),
    -- What differs from the defaults of the rule.
    add column settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
    add column settings_version integer not null default 1,
    -- Who answers for the budget.
    add column owner_user_id integer references user_account on delete set null,
    add column value_per_click double precision check (value_per_click >= 0),
    -- Hidden since then: its lanes go first, then the row is removed (decision D211).
    add column removed_at timestamptz;
create index stop_go_brand_owner on stop_go_brand (owner_user_id) where owner_user_id is not null;

create table stop_go_lane (
    id integer generated always as identity primary key,
    -- `customer:` and the number of the Google customer, or `brand:` and the id of a brand that has none.
    account text not null check (account ~ '^(customer|brand):.'),
    google_connect_id integer references google_connect on delete set null,
    country text not null check (country ~ '^[A-Z]{2}$'),
    text_folded text not null check (text_folded <> ''),
    state text not null default 'watching'
        check (state in ('off', 'watching', 'candidate', 'stopping', 'stopped', 'resuming', 'cooling', 'failing', 'manual')),
    since timestamptz not null,
    -- The rule that decided last.
    reason text not null default 'not-yet-clean',
    -- Whether the text should be in the negative list, and whether it is, as last read.
    desired boolean not null default false,
    observed boolean,
    checked_at timestamptz,
    -- What the list says of the last change, when it refused it.
    refused text,
    stopped_at timestamptz,
    min_go_until timestamptz,
    min_go_seconds bigint,
    toggles_day date,
    toggles_today integer not null default 0,
    approved_at timestamptz,
    dry_run_seen_at timestamptz,
    holdout boolean not null default false,
    -- What a stopped day is expected to save; under the cap the largest goes first.
    expected_saving double precision not null default 0,
    -- Before this nothing is asked of the list, and how many times it did not answer.
    apply_after timestamptz,
    apply_failures integer not null default 0,
    -- When the clock alone may change what is decided.
    next_event_at timestamptz,
    -- Whether the pages that were captured before it began have been read.
    read_back boolean not null default false,
    unique (account, country, text_folded)
);
create index stop_go_lane_google_connect on stop_go_lane (google_connect_id) where google_connect_id is not null;
create index stop_go_lane_apply on stop_go_lane (account, country) where observed is distinct from desired;
create index stop_go_lane_event on stop_go_lane (next_event_at);
create index stop_go_lane_read_back on stop_go_lane (id) where not read_back;
create index stop_go_lane_desired on stop_go_lane (account) where desired;

alter table stop_go_keyword
    -- As typed (decision D192); the number beside it is read from it without rounding.
    add column average_ctr_text text check (char_length(average_ctr_text) <= 40),
    add column average_cpc_text text check (char_length(average_cpc_text) <= 40),
    alter column average_ctr type numeric,
    alter column average_cpc type numeric,
    add column lane_id integer references stop_go_lane,
    add column version integer not null default 1,
    -- Hidden since then: its lane goes first, then the row is removed (decision D211).
    add column removed_at timestamptz;
update stop_go_keyword set average_ctr_text = average_ctr::text, average_cpc_text = average_cpc::text;
create index stop_go_keyword_lane on stop_go_keyword (lane_id);

-- What each capture of a lane says, written in the transaction that settles the capture.
create table stop_go_reading (
    lane_id integer not null references stop_go_lane,
    capture_id uuid not null,
    term_id integer not null,
    device device not null,
    at timestamptz not null,
    verdict text not null check (verdict in ('clean', 'rival', 'unsure', 'invalid')),
    rivals text[] not null default '{}',
    -- Authorised partners that advertise (decision D213).
    partners text[] not null default '{}',
    organic_first boolean,
    own_ad boolean not null,
    primary key (lane_id, capture_id)
);
create index stop_go_reading_at on stop_go_reading (lane_id, at desc) include (term_id, device, verdict);

-- Why a lane is as it is: append only, and kept when keywords go (decision D198).
create table stop_go_decision (
    id bigint generated always as identity primary key,
    lane_id integer not null references stop_go_lane,
    at timestamptz not null,
    from_state text not null,
    to_state text not null,
    action text not null check (action in ('keep', 'stop', 'go', 'propose', 'approve', 'exclude', 'include', 'resume', 'applied', 'refused', 'emergency')),
    rule text not null,
    -- The captures it was made by: `capture`, `device`, `at`, `verdict`, `rivals`.
    readings jsonb not null default '[]' check (jsonb_typeof(readings) = 'array'),
    settings_version integer not null default 1,
    mode text not null default 'observe',
    -- The person; null for the rule.
    user_id integer,
    -- What the list says of a change.
    detail text,
    observed boolean
);
create index stop_go_decision_lane on stop_go_decision (lane_id, id desc);
create index stop_go_decision_at on stop_go_decision (at);

create function refuse_change_of_decision() returns trigger language plpgsql as $$
begin
    -- Retention removes what is older than 25 months.
    if tg_op = 'DELETE' and old.at < now() - interval '25 months' then
        return old;
    end if;
    raise exception 'table % is append only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger stop_go_decision_append_only before update or delete on stop_go_decision
    for each row execute function refuse_change_of_decision();

-- What a lane saved on a day.
create table stop_go_day (
    lane_id integer not null references stop_go_lane,
    day date not null,
    stopped_seconds integer not null check (stopped_seconds between 0 and 90000),
    -- Seconds of it in which a rival was seen.
    harm_seconds integer not null default 0,
    toggles integer not null default 0,
    gross double precision not null default 0,
    lost_clicks double precision not null default 0,
    net_low double precision not null default 0,
    net_high double precision not null default 0,
    base_days integer not null default 0,
    source text not null check (source in ('google', 'typed', 'none')),
    final boolean not null default false,
    primary key (lane_id, day)
);

-- The negative list of an account and country, as it was attached to campaigns.
create table stop_go_list (
    account text not null,
    country text not null,
    attached boolean not null default false,
    -- Whether every campaign serves this country alone; null while unknown.
    campaigns_fit boolean,
    campaigns integer,
    pmax_percent double precision,
    -- What setting it up was refused with.
    refused text,
    -- Since when everything is let go by hand; null when not.
    emergency_at timestamptz,
    checked_at timestamptz,
    ask_after timestamptz,
    primary key (account, country)
);

-- The decisions have taken the place of the events, whose form they keep.
drop table stop_go_event;
create view stop_go_event as
select d.id, k.id as stop_go_keyword_id, (d.readings -> 0 ->> 'capture')::uuid as capture_id, d.action as verdict,
    d.observed is not null as applied, d.at
from stop_go_decision d join stop_go_keyword k on k.lane_id = d.lane_id
where d.action in ('stop', 'go');

-- The text of a term as lanes have it.
create function lane_text(term text) returns text language sql immutable parallel safe as
$$ select lower(regexp_replace(btrim(term), '\s+', ' ', 'g')) $$;

-- The monthly searches of a term; null where they are unknown.
create function monthly_searches(search_stats jsonb) returns double precision language sql immutable parallel safe as
$$ select case jsonb_typeof(search_stats -> 'monthly') when 'number' then (search_stats ->> 'monthly')::double precision end $$;

-- Whether a term is still what a lane is about: a brand's search for a text in a country.
create function is_of_lane(term integer, brand integer, country text, text_folded text) returns boolean language sql stable as $$
    select exists (
        select from term t join localization l on l.id = t.localization_id
        where t.id = $1 and t.brand_id = $2 and right(l.locale, 2) = $3 and lane_text(t.term) = $4)
$$;

-- A lane decides at once when a keyword of it goes with its term or brand, or when its terms are captured no more: no capture and no clock would wake it.
create function wake_lanes_of_keywords() returns trigger language plpgsql as $$
begin
    update stop_go_lane set next_event_at = '2000-01-01' where id in (select lane_id from gone);
    return null;
end $$;
create trigger stop_go_keyword_wakes_lane after delete on stop_go_keyword
    referencing old table as gone for each statement execute function wake_lanes_of_keywords();

create function wake_lanes_of_grids() returns trigger language plpgsql as $$
begin
    update stop_go_lane set next_event_at = '2000-01-01'
    where id in (select k.lane_id from stop_go_keyword k join gone using (term_id));
    return null;
end $$;
create trigger term_due_wakes_lane after delete on term_due
    referencing old table as gone for each statement execute function wake_lanes_of_grids();

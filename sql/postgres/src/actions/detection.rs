//! Turns sightings into actions (decisions D41, D42): new ones are opened, known ones refreshed, ended ones begun again.
//!
//! Folding the same sighting twice changes nothing. The order matters in one way: an older sighting never moves a status.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use sqlx::types::Json;
use vocabulary::{
    ActionEvent, ActionStatus, AdKind, BrandId, CaptureId, DealerId, Engine, Officials, PartnerAd, PartnerTerms,
    Partners, SystemScope, TermId,
};

use super::SeenDays;
use crate::stored::parse;
use crate::{Connection, Result, categories};

/// A domain that was seen on a brand's terms, from one country on one engine, on one UTC day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The brand of the terms.
    pub brand: BrandId,
    /// The advertiser's host.
    pub domain: String,
    /// Its registrable domain (decision D53).
    pub master: String,
    /// Country of the searches, two letters.
    pub country: String,
    /// The search engine.
    pub engine: Engine,
    /// Languages of the searches.
    pub languages: Vec<String>,
    /// Terms on whose captures the ads were seen.
    pub terms: Vec<TermId>,
    /// The first time.
    pub first: DateTime<Utc>,
    /// The last time that a text ad was seen.
    pub text: Option<DateTime<Utc>>,
    /// The last time that a shopping ad was seen.
    pub shopping: Option<DateTime<Utc>>,
    /// The ads themselves, which the conditions of the brand's partners look at. Those of one capture are all in the sightings of one call.
    pub ads: Vec<SightedAd>,
}

/// An ad of a sighting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SightedAd {
    /// The capture it was seen in.
    pub capture: CaptureId,
    /// Whether it is a text ad or a shopping ad.
    pub kind: AdKind,
    /// When its page was received.
    pub at: DateTime<Utc>,
    /// Its headline and its text.
    pub words: String,
    /// Its rank over the page.
    pub rank: u16,
}

/// How many actions a call of [`detect`] opened and changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// Actions that are new.
    pub opened: u64,
    /// Actions that were known.
    pub refreshed: u64,
    /// Those that had ended and began again.
    pub reappeared: u64,
    /// Actions, new or begun again, whose brand asks for all of them.
    pub requested: u64,
}

impl std::ops::AddAssign for Detected {
    fn add_assign(&mut self, more: Self) {
        self.opened += more.opened;
        self.refreshed += more.refreshed;
        self.reappeared += more.reappeared;
        self.requested += more.requested;
    }
}

/// Key of an action: brand, country, engine and domain (decision D40). Actions are locked in the order of their keys.
type ActionIdentity = (i32, String, String, String);

impl Sighting {
    /// The key of the action that this sighting belongs to: brand, country, engine and domain.
    fn key(&self) -> ActionIdentity {
        (
            self.brand.0,
            self.country.clone(),
            self.engine.to_string(),
            self.domain.clone(),
        )
    }

    /// The last time that an ad of either kind was seen; the first sighting where neither kind has a time.
    fn last(&self) -> DateTime<Utc> {
        self.text.max(self.shopping).unwrap_or(self.first)
    }

    /// The ad that says best that it was seen: of the last ones a text ad, of these the highest.
    fn best_ad(&self) -> Option<&SightedAd> {
        self.ads
            .iter()
            .min_by_key(|ad| (Reverse(ad.at), ad.kind != AdKind::Text, ad.rank))
    }

    /// The UTC days of the last text ad and of the last shopping ad. Days between the first and the last sighting are not marked.
    fn days(&self) -> SeenDays {
        let on =
            |last: Option<DateTime<Utc>>, text, shopping| last.map(|at| SeenDays::on(at.date_naive(), text, shopping));
        let days = [on(self.text, true, false), on(self.shopping, false, true)];
        let none = SeenDays::on(self.first.date_naive(), false, false);
        days.into_iter().flatten().fold(none, SeenDays::and)
    }
}

/// Which ads of a brand lead to actions, whether its actions are requested at once, which domains are its own, and which are its partners'.
struct DetectionRule {
    text: bool,
    shopping: bool,
    is_automatic: bool,
    official: Officials,
    partners: Partners,
}

/// The present state of an action whose row is locked until the transaction ends.
struct LockedAction {
    id: i32,
    status: ActionStatus,
    accepted: Option<DateTime<Utc>>,
    folded_until: Option<DateTime<Utc>>,
    last_status: Option<DateTime<Utc>>,
    days: Option<SeenDays>,
}

/// An action that begins again.
struct Beginning {
    id: i32,
    at: DateTime<Utc>,
    is_automatic: bool,
    /// When its advertiser had agreed.
    accepted: Option<DateTime<Utc>>,
    /// What was seen.
    ad: Option<SightedAd>,
    term: Option<TermId>,
}

/// Opens the actions of sightings that have none, refreshes known ones and begins ended ones again (an accepted one only `grace` after it accepted).
/// Drops sightings of brands not validated, official domains and kinds of ads not asked for, and ads of partners that break no condition; of several
/// with one key, the last counts. Unknown `master`s become dealers. Locks the actions until the transaction ends: call it in the one that records the captures.
pub async fn detect(
    connection: &mut Connection,
    _system: &SystemScope,
    sightings: Vec<Sighting>,
    grace: TimeDelta,
) -> Result<Detected> {
    let rules = detection_rules(&mut *connection, &sightings).await?;
    let own_ranks = own_ranks(&sightings, &rules);
    let mut pending: BTreeMap<ActionIdentity, Sighting> = BTreeMap::new();
    for sighting in sightings {
        let judged = rules
            .get(&sighting.brand)
            .and_then(|rule| judge(sighting, rule, &own_ranks));
        if let Some(sighting) = judged {
            pending.insert(sighting.key(), sighting);
        }
    }
    let mut detected = Detected::default();
    if pending.is_empty() {
        return Ok(detected);
    }
    let masters: BTreeSet<&str> = pending.values().map(|sighting| sighting.master.as_str()).collect();
    let masters: Vec<String> = masters.into_iter().map(str::to_owned).collect();
    let seen = pending.values().map(Sighting::last).max().unwrap_or_default();
    let dealers = categories::dealers_of_domains(&mut *connection, &masters, seen).await?;
    let mut terms = Vec::new();
    // Missing actions are inserted before known ones are locked: a transaction that waits for another's insert must not hold a lock that the other needs.
    while !pending.is_empty() {
        for (key, id, is_automatic) in open_missing(&mut *connection, &pending, &dealers, &rules).await? {
            detected.opened += 1;
            detected.requested += u64::from(is_automatic);
            terms.extend(pending.remove(&key).map(|sighting| (id, sighting)));
        }
        if pending.is_empty() {
            break;
        }
        // An action that is deleted meanwhile is not found; the next round inserts it again.
        let known = lock_existing(&mut *connection, &pending).await?;
        let (mut refreshed, mut reappeared) = (Vec::new(), Vec::new());
        for (key, action) in known {
            let Some(sighting) = pending.remove(&key) else { continue };
            terms.push((action.id, sighting.clone()));
            if begins_again(&action, sighting.last(), grace) {
                let is_automatic = rules.get(&sighting.brand).is_some_and(|rule| rule.is_automatic);
                let at = action
                    .last_status
                    .map_or(sighting.last(), |last| last.max(sighting.last()));
                reappeared.push(Beginning {
                    id: action.id,
                    at,
                    is_automatic,
                    accepted: action.accepted.filter(|_| action.status == ActionStatus::Accepted),
                    ad: sighting.best_ad().cloned(),
                    term: sighting.terms.first().copied(),
                });
            }
            refreshed.push((action, sighting));
        }
        detected.refreshed += add_sightings(&mut *connection, &refreshed).await?;
        detected += begin_again(&mut *connection, &reappeared).await?;
    }
    note_terms(connection, &terms).await?;
    Ok(detected)
}

/// The rank of the first text ad of the brand's own in each capture that has one.
fn own_ranks(sightings: &[Sighting], rules: &BTreeMap<BrandId, DetectionRule>) -> BTreeMap<CaptureId, u16> {
    let mut ranks = BTreeMap::new();
    for sighting in sightings {
        let is_own = |rule: &DetectionRule| rule.official.cover(&sighting.domain);
        if !rules.get(&sighting.brand).is_some_and(is_own) {
            continue;
        }
        for ad in sighting.ads.iter().filter(|ad| ad.kind == AdKind::Text) {
            let first = ranks.entry(ad.capture).or_insert(ad.rank);
            *first = ad.rank.min(*first);
        }
    }
    ranks
}

/// The sighting as far as it leads to an action of the brand: with the kinds of ads that the brand asks for and, for a partner, with those ads alone
/// that break a condition or were seen after its end. `None` for an official domain, and when nothing is left.
fn judge(mut sighting: Sighting, rule: &DetectionRule, own_ranks: &BTreeMap<CaptureId, u16>) -> Option<Sighting> {
    if rule.official.cover(&sighting.domain) {
        return None;
    }
    if let Some(terms) = rule.partners.of_host(&sighting.domain) {
        let counts = |ad: &SightedAd| {
            let judged = PartnerAd {
                words: &ad.words,
                rank: ad.rank,
                own_rank: own_ranks.get(&ad.capture).copied(),
            };
            !terms.last_on(ad.at.date_naive()) || ad.kind == AdKind::Text && terms.are_broken_by(judged)
        };
        sighting.ads.retain(counts);
        let last = |kind| {
            let of_kind = sighting.ads.iter().filter(|ad| ad.kind == kind);
            of_kind.map(|ad| ad.at).max()
        };
        let (text, shopping) = (last(AdKind::Text), last(AdKind::Shopping));
        sighting.first = sighting.ads.iter().map(|ad| ad.at).min()?;
        (sighting.text, sighting.shopping) = (text, shopping);
    }
    sighting.ads.retain(|ad| match ad.kind {
        AdKind::Text => rule.text,
        AdKind::Shopping => rule.shopping,
    });
    sighting.text = sighting.text.filter(|_| rule.text);
    sighting.shopping = sighting.shopping.filter(|_| rule.shopping);
    (sighting.text.is_some() || sighting.shopping.is_some()).then_some(sighting)
}

/// Whether a sighting at `seen` begins an action again: the action has ended, was not seen as late as this, and was not accepted less than `grace`
/// before.
fn begins_again(action: &LockedAction, seen: DateTime<Utc>, grace: TimeDelta) -> bool {
    let is_news = action.folded_until.is_none_or(|until| until < seen);
    let changes = action
        .status
        .after(ActionEvent::Detect)
        .is_some_and(|next| next != action.status);
    let had_time = action.status != ActionStatus::Accepted || action.accepted.is_none_or(|at| at + grace <= seen);
    is_news && changes && had_time
}

/// The detection rules of the validated brands among those of the sightings, keyed by brand. Any other brand is absent.
async fn detection_rules(
    connection: &mut Connection,
    sightings: &[Sighting],
) -> Result<BTreeMap<BrandId, DetectionRule>> {
    let brands: BTreeSet<i32> = sightings.iter().map(|sighting| sighting.brand.0).collect();
    let brands: Vec<i32> = brands.into_iter().collect();
    let rows = sqlx::query!(
        r#"select b.id, coalesce(b.create_notification, false) as "text!",
               coalesce(b.create_shopping_notification, false) as "shopping!",
               coalesce(b.notification_auto, false) as "is_automatic!",
               array(select d.domain from category c join category_dealer cd on cd.category_id = c.id
                         join dealer d on d.id = cd.dealer_id
                     where c.name = 'official' and c.scope = 'tag' and c.brand_owner_id = b.id
                         and cd.company_account_id is null) as "official!",
               (select jsonb_object_agg(p.domain, to_jsonb(p)) from brand_partner p where p.brand_id = b.id)
                   as "partners: Json<BTreeMap<String, PartnerTerms>>"
           from brand b where b.id = any($1) and b.validated"#,
        &brands
    )
    .fetch_all(connection)
    .await?;
    let rules = rows.into_iter().map(|row| {
        let rule = DetectionRule {
            text: row.text,
            shopping: row.shopping,
            is_automatic: row.is_automatic,
            official: row.official.into_iter().collect(),
            partners: row.partners.into_iter().flat_map(|partners| partners.0).collect(),
        };
        (BrandId(row.id), rule)
    });
    Ok(rules.collect())
}

/// Locks the actions that exist for these keys until the transaction ends, and returns them in the order of their keys. Keys without an
/// action are left out.
async fn lock_existing(
    connection: &mut Connection,
    sightings: &BTreeMap<ActionIdentity, Sighting>,
) -> Result<Vec<(ActionIdentity, LockedAction)>> {
    let (mut brands, mut countries, mut engines, mut domains) = (vec![], vec![], vec![], vec![]);
    for (brand, country, engine, domain) in sightings.keys() {
        brands.push(*brand);
        countries.push(country.clone());
        engines.push(engine.clone());
        domains.push(domain.clone());
    }
    let rows = sqlx::query!(
        r#"select a.id, a.brand_id as "brand_id!", a.country as "country!", a.engine as "engine!", a.domain as "domain!",
               a.status as "status: String", a.accepted_date, greatest(a.last_capture_at, a.last_view) as folded_until,
               a.last_status_date, a.seen_until, a.text_days, a.shopping_days
           from unnest($1::int[], $2::text[], $3::text[], $4::text[]) as s (brand, country, engine, domain)
               join action a on a.brand_id = s.brand and a.domain = s.domain and a.country = s.country and a.engine = s.engine
           order by a.brand_id, a.country, a.engine, a.domain for update of a"#,
        &brands,
        &countries,
        &engines,
        &domains
    )
    .fetch_all(connection)
    .await?;
    rows.into_iter()
        .map(|row| {
            let days = row.seen_until.map(|until| SeenDays {
                until,
                text: row.text_days.cast_unsigned(),
                shopping: row.shopping_days.cast_unsigned(),
            });
            let known = LockedAction {
                id: row.id,
                status: parse("action.status", &row.status)?,
                accepted: row.accepted_date,
                folded_until: row.folded_until,
                last_status: row.last_status_date,
                days,
            };
            Ok(((row.brand_id, row.country, row.engine, row.domain), known))
        })
        .collect()
}

/// Adds each sighting to its action: first and last times, also of each kind of ad, days seen and languages. Changes no status. Returns how many
/// actions it updated, whether or not anything differs.
async fn add_sightings(connection: &mut Connection, actions: &[(LockedAction, Sighting)]) -> Result<u64> {
    let mut ids = Vec::with_capacity(actions.len());
    let (mut firsts, mut lasts, mut languages) = (vec![], vec![], vec![]);
    let (mut untils, mut texts, mut shoppings, mut presences) = (vec![], vec![], vec![], vec![]);
    let (mut last_texts, mut last_shoppings) = (vec![], vec![]);
    for (action, sighting) in actions {
        let days = action.days.map_or(sighting.days(), |days| days.and(sighting.days()));
        ids.push(action.id);
        firsts.push(sighting.first);
        lasts.push(sighting.last());
        languages.push(sighting.languages.join(","));
        untils.push(days.until);
        texts.push(days.text.cast_signed());
        shoppings.push(days.shopping.cast_signed());
        presences.push(days.presence());
        last_texts.push(sighting.text);
        last_shoppings.push(sighting.shopping);
    }
    let done = sqlx::query!(
        "update action set last_view = greatest(last_view, s.last), last_capture_at = greatest(last_capture_at, s.last),
             created_date = least(created_date, s.first), seen_until = s.until, text_days = s.text, shopping_days = s.shopping,
             presence = s.presence, last_text = greatest(action.last_text, s.last_text),
             last_shopping = greatest(action.last_shopping, s.last_shopping),
             languages = array(select distinct l from unnest(action.languages || string_to_array(s.languages, ',')) as l order by l)
         from unnest($1::int[], $2::timestamptz[], $3::timestamptz[], $4::text[], $5::date[], $6::int[], $7::int[], $8::jsonb[],
                 $9::timestamptz[], $10::timestamptz[])
             as s (id, first, last, languages, until, text, shopping, presence, last_text, last_shopping)
         where action.id = s.id",
        &ids,
        &firsts,
        &lasts,
        &languages,
        &untils,
        &texts,
        &shoppings,
        &presences,
        &last_texts as &[Option<DateTime<Utc>>],
        &last_shoppings as &[Option<DateTime<Utc>>]
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

/// Begins actions again, each at its time, as `reappearance` or, where the flag is set, `requested`. Resets the dates and counters of the cycle before,
/// and writes the history with the ad that was seen. Returns how many reappeared, and how many of them are requested.
async fn begin_again(connection: &mut Connection, actions: &[Beginning]) -> Result<Detected> {
    if actions.is_empty() {
        return Ok(Detected::default());
    }
    let ids: Vec<i32> = actions.iter().map(|action| action.id).collect();
    let times: Vec<DateTime<Utc>> = actions.iter().map(|action| action.at).collect();
    let automatic: Vec<bool> = actions.iter().map(|action| action.is_automatic).collect();
    sqlx::query!(
        "update action set status = case when s.automatic then 'requested' else 'reappearance' end, reappearance_date = s.at,
             requested_date = case when s.automatic then s.at end, last_status_date = s.at, updated_date = s.at,
             inprogress_date = null, accepted_date = null, refused_date = null, ignored_date = null, reminded_date = null,
             blocked_date = null, disappeared_date = null, waiting = false, cycle = cycle + 1, cycle_reminders = 0,
             cycle_forced = false, notified_manually = false, cycle_quota = null, clock_at = null, contacted_at = null, replied_at = null,
             paused_until = null,
             metas = coalesce(metas, '{}') || '{\"originalStatus\": \"reappearance\"}'
         from unnest($1::int[], $2::timestamptz[], $3::bool[]) as s (id, at, automatic)
         where action.id = s.id",
        &ids,
        &times,
        &automatic
    )
    .execute(&mut *connection)
    .await?;
    let requested = automatic.iter().filter(|is| **is).count();
    note_beginnings(&mut *connection, ActionStatus::Reappearance, &ids, &times, &automatic).await?;
    note_relapses(connection, actions).await?;
    Ok(Detected {
        reappeared: u64::try_from(ids.len()).unwrap_or(u64::MAX),
        requested: u64::try_from(requested).unwrap_or(u64::MAX),
        ..Detected::default()
    })
}

/// Opens an action, `new` or `requested`, for each sighting that has none, and writes the history; `dealers` is keyed by registrable domain, and
/// without a dealer the action has no advertiser. Returns key, id and whether it is requested. A sighting whose action exists is left out, also if another
/// transaction has opened it meanwhile, whose end this waits for.
async fn open_missing(
    connection: &mut Connection,
    sightings: &BTreeMap<ActionIdentity, Sighting>,
    dealers: &BTreeMap<String, DealerId>,
    rules: &BTreeMap<BrandId, DetectionRule>,
) -> Result<Vec<(ActionIdentity, i32, bool)>> {
    let (mut brands, mut countries, mut engines, mut domains) = (vec![], vec![], vec![], vec![]);
    let (mut advertisers, mut languages, mut automatic) = (vec![], vec![], vec![]);
    let (mut firsts, mut lasts, mut texts, mut shoppings) = (vec![], vec![], vec![], vec![]);
    let (mut last_texts, mut last_shoppings) = (vec![], vec![]);
    let mut presences: Vec<Value> = Vec::new();
    for ((brand, country, engine, domain), sighting) in sightings {
        let days = sighting.days();
        brands.push(*brand);
        countries.push(country.clone());
        engines.push(engine.clone());
        domains.push(domain.clone());
        advertisers.push(dealers.get(&sighting.master).map_or(0, |dealer| dealer.0));
        languages.push(sighting.languages.join(","));
        automatic.push(rules.get(&sighting.brand).is_some_and(|rule| rule.is_automatic));
        firsts.push(sighting.first);
        lasts.push(sighting.last());
        texts.push(days.text.cast_signed());
        shoppings.push(days.shopping.cast_signed());
        presences.push(days.presence());
        last_texts.push(sighting.text);
        last_shoppings.push(sighting.shopping);
    }
    let rows = sqlx::query!(
        r#"insert into action (brand_id, country, engine, domain, advertiser_id, languages, status, requested_date, created_date,
               last_view, last_capture_at, last_status_date, updated_date, seen_until, text_days, shopping_days, presence, metas,
               last_text, last_shopping)
           select brand, country, engine, domain, nullif(advertiser, 0), string_to_array(languages, ','),
               case when automatic then 'requested' else 'new' end, case when automatic then first end, first,
               last, last, first, first, (last at time zone 'UTC')::date, text, shopping, presence, '{"originalStatus": "new"}', last_text, last_shopping
           from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::bool[], $8::timestamptz[],
                   $9::timestamptz[], $10::int[], $11::int[], $12::jsonb[], $13::timestamptz[], $14::timestamptz[])
               as s (brand, country, engine, domain, advertiser, languages, automatic, first, last, text, shopping, presence,
                   last_text, last_shopping)
           where not exists (select from action a where a.brand_id = s.brand and a.domain = s.domain and a.country = s.country and a.engine = s.engine)
           order by brand, country, engine, domain
           on conflict (brand_id, domain, country, engine) do nothing
           returning id, brand_id as "brand_id!", country as "country!", engine as "engine!", domain as "domain!",
               created_date as "at!", status = 'requested' as "is_automatic!""#,
        &brands,
        &countries,
        &engines,
        &domains,
        &advertisers,
        &languages,
        &automatic,
        &firsts,
        &lasts,
        &texts,
        &shoppings,
        &presences,
        &last_texts as &[Option<DateTime<Utc>>],
        &last_shoppings as &[Option<DateTime<Utc>>]
    )
    .fetch_all(&mut *connection)
    .await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i32> = rows.iter().map(|row| row.id).collect();
    let times: Vec<DateTime<Utc>> = rows.iter().map(|row| row.at).collect();
    let automatic: Vec<bool> = rows.iter().map(|row| row.is_automatic).collect();
    note_beginnings(connection, ActionStatus::New, &ids, &times, &automatic).await?;
    let opened = rows.into_iter().map(|row| {
        let key = (row.brand_id, row.country, row.engine, row.domain);
        (key, row.id, row.is_automatic)
    });
    Ok(opened.collect())
}

/// Writes `status` into the history of each action at its time and, where the flag is set, the request after it. The slices are parallel.
async fn note_beginnings(
    connection: &mut Connection,
    status: ActionStatus,
    ids: &[i32],
    times: &[DateTime<Utc>],
    automatic: &[bool],
) -> Result<()> {
    sqlx::query!(
        "insert into action_history (action_id, status, at, is_automatic)
         select id, status, at, true
         from unnest($1::int[], $2::timestamptz[], $3::bool[]) with ordinality as s (id, at, automatic, n)
             cross join lateral unnest(case when automatic then array[$4, 'requested'] else array[$4] end)
                 with ordinality as t (status, step)
         order by n, step",
        ids,
        times,
        automatic,
        status.to_string()
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes to the newest entry `reappearance` in the history of each action which ad was seen, where that is known.
async fn note_relapses(connection: &mut Connection, actions: &[Beginning]) -> Result<()> {
    let (mut ids, mut accepted, mut terms) = (vec![], vec![], vec![]);
    let (mut captures, mut times, mut kinds, mut words, mut ranks) = (vec![], vec![], vec![], vec![], vec![]);
    for (action, ad) in actions.iter().filter_map(|action| Some((action, action.ad.as_ref()?))) {
        ids.push(action.id);
        accepted.push(action.accepted);
        terms.push(action.term.map(|term| term.0));
        captures.push(ad.capture.0);
        times.push(ad.at);
        kinds.push(ad.kind.to_string());
        words.push(ad.words.clone());
        ranks.push(i32::from(ad.rank));
    }
    sqlx::query!(
        "insert into relapse (history_id, accepted_at, capture_id, seen_at, term, kind, words, rank)
         select h.id, s.accepted, s.capture, s.seen, coalesce(
                 (select c.term from capture c
                     where c.id = s.capture and c.slot_ts >= captures_from(s.capture) and c.slot_ts < captures_until(s.capture)),
                 (select t.term from term t where t.id = s.term), ''),
             s.kind, s.words, s.rank
         from unnest($1::int[], $2::timestamptz[], $3::int[], $4::uuid[], $5::timestamptz[], $6::text[], $7::text[], $8::int[])
                 as s (action, accepted, term, capture, seen, kind, words, rank)
             cross join lateral (
                 select id from action_history where action_id = s.action and status = 'reappearance' order by id desc limit 1
             ) h",
        &ids,
        &accepted as &[Option<DateTime<Utc>>],
        &terms as &[Option<i32>],
        &captures,
        &times,
        &kinds,
        &words,
        &ranks
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Notes for each term of the sightings the last UTC day on which its action was seen. Deleted terms are left out, and no day moves back.
async fn note_terms(connection: &mut Connection, actions: &[(i32, Sighting)]) -> Result<()> {
    let mut seen: BTreeMap<(i32, i32), DateTime<Utc>> = BTreeMap::new();
    for (id, sighting) in actions {
        for term in &sighting.terms {
            let last = seen.entry((*id, term.0)).or_insert_with(|| sighting.last());
            *last = sighting.last().max(*last);
        }
    }
    let (mut ids, mut terms, mut days) = (vec![], vec![], vec![]);
    for ((id, term), last) in seen {
        ids.push(id);
        terms.push(term);
        days.push(last.date_naive());
    }
    sqlx::query!(
        "insert into action_term (action_id, term_id, last_seen)
         select s.action, s.term, s.day from unnest($1::int[], $2::int[], $3::date[]) as s (action, term, day)
         where exists (select from term where term.id = s.term)
         on conflict (action_id, term_id) do update set last_seen = excluded.last_seen
             where action_term.last_seen < excluded.last_seen",
        &ids,
        &terms,
        &days
    )
    .execute(connection)
    .await?;
    Ok(())
}

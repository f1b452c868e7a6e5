//! The cases, their advertisers and their mails.

use std::time::Instant;

use vigie::terminal::say;
use vocabulary::CompanyAccountId;

use crate::bench::BenchError;
use crate::bench::peers::Psql;
use crate::bench::world::{Reader, ids, member};

/// Mails of each case that has some; every second one has.
const MAILS_OF_A_CASE: u64 = 10;
const BRANDS: u64 = 100;
/// Cases that no advertiser has more of: one against each brand.
const CASES_OF_AN_ADVERTISER: u64 = BRANDS;
/// Words that domains and terms are made of.
const WORDS: &str = "string_to_array('shoe,boot,dress,leather,hat,wool,silk,hiking,rain,tennis,lamp,garden,kitchen,travel,music,winter', ',')";

/// Rows refer to each other by construction, and nobody is told of them: no triggers.
const QUICKLY: &str = "set session_replication_role = replica";
const BRAND_ROWS: &str = "
    insert into brand (name, label, validated, create_notification, reminder)
    select 'bench-outreach-' || n, 'Brand ' || n, true, true, '{\"autoReminder\": false}' from generate_series(1, $BRANDS) n";
const COMPANY: &str = "insert into company_account (name, label) values ('bench-outreach', 'Company of cases')";
/// Every tenth brand belongs to the company account.
const COMPANY_BRANDS: &str = "
    insert into brand_company_account (company_account_id, brand_id)
    select c.id, b.id from company_account c join brand b on b.name like 'bench-outreach-%' and b.id % 10 = 0 where c.name = 'bench-outreach'";
const TERMS: &str = "
    insert into term (term, keyword_type, devices, every, engine, state, localization_id, brand_id, created_date, updated_date, schedule_stale)
    select ($WORDS)[1 + n % 16] || ' ' || ($WORDS)[1 + n / 16 % 16] || ' offer ' || n,
        (string_to_array('GENERIC,BRAND,GENERIC_BRAND', ','))[1 + n % 3], '{DESKTOP}', 2635200000, 'GOOGLE', 'disabled',
        (select min(id) from localization), b.id, now(), now(), false
    from generate_series(0, 4999) n
    join (select id, row_number() over (order by id) - 1 as place from brand where name like 'bench-outreach-%') b on b.place = n % $BRANDS";
/// Forty tags, half of them on advertisers and half on terms; those with a higher number are on fewer rows.
const TAGS: &str = "
    insert into category (label, name, scope, visibility)
    select 'Tag ' || n, 'bench-outreach-' || scope || n, scope, 'all' from generate_series(1, 20) n, unnest(array['tag', 'term']) scope";
const DEALERS: &str = "
    insert into dealer (domain) select ($WORDS)[1 + n % 16] || ($WORDS)[1 + n / 16 % 16] || n || '.example' from generate_series(0, $DEALERS - 1) n";
const CONTACTS: &str = "
    insert into contact (email, name, country)
    select 'ads@' || domain, 'Ads ' || domain, 'FR' from dealer where domain ~ '^[a-z]+[0-9]+[.]example$'";
const DEALER_CONTACTS: &str = "
    insert into dealer_contact (dealer_id, contact_id) select d.id, c.id from dealer d join contact c on c.email = 'ads@' || d.domain";
const DEALER_TAGS: &str = "
    insert into category_dealer (category_id, dealer_id)
    select c.id, d.id from (select id, row_number() over (order by id) as place from category where name like 'bench-outreach-tag%') c
    join dealer d on d.id % (c.place * c.place * 3) = 0";
const TERM_TAGS: &str = "
    insert into term_category (category_id, term_id)
    select c.id, t.id from (select id, row_number() over (order by id) as place from category where name like 'bench-outreach-term%') c
    join term t on t.id % (c.place * 4) = 0";
/// Of a hundred cases fifty are exchanged mails in: inprogress 14, reminded 10, accepted 14, refused 3, blocked 5, disappeared 4; of the others 30 are new,
/// 12 ignored, 6 requested and 2 appeared again.
const ACTIONS: &str = "
    insert into action (domain, country, engine, status, waiting, priority, brand_id, advertiser_id, last_view, created_date, updated_date,
        requested_date, inprogress_date, reminded_date, accepted_date, refused_date, ignored_date, blocked_date, disappeared_date, reappearance_date,
        last_status_date, clock_at, contacted_at, received_count, sended_count, reminded_count, unread_count, languages, last_text, last_shopping)
    select d.domain, (string_to_array('FR,FR,FR,BE,DE,ES,IT,NL,GB,CH', ','))[1 + n % 10], case when n % 5 = 3 then 'bing' else 'google' end,
        status::action_status, status in ('inprogress', 'reminded') and n % 3 > 0, (hashint4(n) & 1023)::float8 / 10, b.id, d.id, seen, created,
        changed, case when has_mails or status = 'requested' then changed - interval '30 days' end,
        case when has_mails then changed - interval '20 days' end, case when status = 'reminded' then changed end,
        case when status = 'accepted' then changed end, case when status = 'refused' then changed end, case when status = 'ignored' then changed end,
        case when status = 'blocked' then changed end, case when status = 'disappeared' then changed end,
        case when status = 'reappearance' then changed end, changed, case when has_mails then changed end, case when has_mails then changed end,
        case when has_mails then 5 else 0 end, case when has_mails then 5 else 0 end, case when status = 'reminded' then 1 else 0 end,
        case when has_mails and n % 16 = 0 then 1 else 0 end, array[(string_to_array('fr,fr,en,nl,de', ','))[1 + n % 5]],
        seen, case when n % 4 = 0 then seen end
    from generate_series(0, $CASES - 1) n
        cross join lateral (
            select (hashint4(n + 7) & 2147483647) % 100 as share, date_trunc('second', now()) - (n % 60000) * interval '1 minute' as seen
        ) as drawn
        cross join lateral (
            select case when share < 14 then 'inprogress' when share < 24 then 'reminded' when share < 38 then 'accepted' when share < 41 then 'refused'
                    when share < 46 then 'blocked' when share < 50 then 'disappeared' when share < 80 then 'new' when share < 92 then 'ignored'
                    when share < 98 then 'requested' else 'reappearance' end as status,
                share < 50 as has_mails, seen - interval '90 days' as created,
                case when share between 50 and 79 then seen - interval '90 days'
                    else date_trunc('second', now()) - (hashint4(n + 3) & 65535) * interval '1 minute' end as changed
        ) as drawn_too
        join (select id, row_number() over (order by id) - 1 as place from brand where name like 'bench-outreach-%') b on b.place = n % $BRANDS
        join (select id, domain, row_number() over (order by id) - 1 as place from dealer where domain ~ '^[a-z]+[0-9]+[.]example$') d
            on d.place = n / $BRANDS
    order by n";
const HISTORY: &str = "
    insert into action_history (action_id, status, at, is_automatic)
    select a.id, step.status, step.at, true
    from action a cross join lateral (values ('new'::action_status, a.created_date), (a.status, a.last_status_date)) as step (status, at)
    where a.domain !~ '^run' and (step.status <> 'new' or step.at = a.created_date)
    order by a.id, step.at";
const ACTION_TERMS: &str = "
    insert into action_term (action_id, term_id, last_seen)
    select a.id, t.id, a.last_view::date
    from action a join (select id, brand_id, row_number() over (partition by brand_id order by id) - 1 as place from term) t
        on t.brand_id = a.brand_id and t.place in (a.id % 50, a.id / 50 % 50)";
/// As the triggers would have noted with each term.
const KEYWORD_TYPES: &str = "
    update action a set keyword_types = s.types
    from (
        select s.action_id, array_agg(distinct t.keyword_type order by t.keyword_type) as types
        from action_term s join term t on t.id = s.term_id group by s.action_id
    ) s
    where a.id = s.action_id";
/// Five mails to the advertiser, each answered.
const EMAILS: &str = "
    insert into email (action_id, direction, kind, cycle, template_type, language, subject, body, status, created_date, left_at, sended_date, received_date,
        open, message_id, automatic)
    select a.id, case when n % 2 = 1 then 'out' else 'in' end, case when n = 1 then 'notification' when n % 2 = 1 then 'answer' end, 0,
        case when n = 1 then 'notification' when n % 2 = 1 then 'answer' end, 'fr', 'Your ads (VG-' || a.id || ')',
        repeat('We ask you to stop advertising on our brand. ', 5), case when n % 2 = 1 then 'sent' else 'received' end, at,
        case when n % 2 = 1 then at end, case when n % 2 = 1 then at end, case when n % 2 = 0 then at end, not (n = 10 and a.unread_count > 0),
        'm' || a.id || '.' || n || '@mail.example', 'no'
    from action a cross join generate_series(1, $MAILS) n cross join lateral (select a.clock_at - (11 - n) * interval '1 day' as at) as sent
    where a.received_count > 0";
const DELIVERIES: &str = "
    insert into mail_delivery (email_id, contact_id, address, business_key, reply_token, bounce_token, state, body_at, not_before, created_at, tries,
        settled_at, smtp_code, smtp_text)
    select e.id, l.contact_id, 'ads@' || a.domain, 'bench:' || e.id, substr(md5('r' || e.id), 1, 26), substr(md5('b' || e.id), 1, 26), 'sent',
        e.left_at, e.left_at, e.left_at, 1, e.left_at, 250, 'kept'
    from email e join action a on a.id = e.action_id join dealer_contact l on l.dealer_id = a.advertiser_id
    where e.direction = 'out'";
const RECIPIENTS: &str =
    "insert into email_recipient (email_id, contact_id) select email_id, contact_id from mail_delivery";

/// What the stack was filled with.
pub(crate) struct World {
    /// A user of a company account, who sees the cases of every tenth brand.
    pub(super) member: Reader,
    pub(super) brands: Vec<i64>,
    pub(super) advertiser_tags: Vec<i64>,
    pub(super) term_tags: Vec<i64>,
    /// The contact of an advertiser.
    pub(super) address: String,
}

/// Creates the cases, five mails for each on the average, and a company account with a user. Fails on a second call.
pub(crate) async fn fill(psql: &Psql, postgres: &str, cases: u64) -> Result<World, BenchError> {
    let began = Instant::now();
    let spelled = |statement: &str| {
        statement
            .replace("$WORDS", WORDS)
            .replace("$BRANDS", &BRANDS.to_string())
            .replace("$DEALERS", &cases.div_ceil(CASES_OF_AN_ADVERTISER).to_string())
            .replace("$CASES", &cases.to_string())
            .replace("$MAILS", &MAILS_OF_A_CASE.to_string())
    };
    let rows = [
        QUICKLY,
        BRAND_ROWS,
        COMPANY,
        COMPANY_BRANDS,
        TERMS,
        TAGS,
        DEALERS,
        CONTACTS,
        DEALER_CONTACTS,
        DEALER_TAGS,
        TERM_TAGS,
        ACTIONS,
        HISTORY,
        ACTION_TERMS,
        KEYWORD_TYPES,
        // The types were written into a second copy of each case.
        "vacuum full action",
        "select count_all_cases()",
        EMAILS,
        DELIVERIES,
        RECIPIENTS,
        "vacuum analyze",
    ];
    psql.run(&rows.map(spelled)).await?;
    let company = ids(psql, "select id from company_account where name = 'bench-outreach'").await?[0];
    let tags = async |scope: &str| {
        let tags = format!("select id from category where name like 'bench-outreach-{scope}%' order by id");
        ids(psql, &tags).await
    };
    let world = World {
        member: member(postgres, CompanyAccountId(i32::try_from(company).unwrap_or_default())).await?,
        brands: ids(
            psql,
            "select id from brand where name like 'bench-outreach-%' order by id",
        )
        .await?,
        advertiser_tags: tags("tag").await?,
        term_tags: tags("term").await?,
        address: psql
            .run(&["select email from contact order by id limit 1"])
            .await?
            .trim()
            .to_owned(),
    };
    say(format!(
        "\n{} cases and {} mails made in {:.0} s",
        psql.number("select count(*) from action").await?,
        psql.number("select count(*) from email").await?,
        began.elapsed().as_secs_f64()
    ));
    Ok(world)
}

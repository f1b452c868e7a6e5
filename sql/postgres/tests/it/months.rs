//! Tables partitioned by month: the migration, rows of any time, the partitions a query scans, and the drop.

use chrono::NaiveDate;
use postgres::months::{self, MonthlyTables};
use sqlx::Row;
use testkit::{Postgres, SETUP};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("./migrations");

/// The last migration before tables are partitioned by month.
const BEFORE: i64 = 85;

const TABLES: [&str; 6] = [
    "slot",
    "capture",
    "organic_result",
    "failed_page",
    "evidence_entry",
    "audit_entry",
];

/// A slot with its capture every day of two years, an organic result and an entry of the chain of each, and entries of the audit log.
const TWO_YEARS: &str = "
    insert into localization (locale) values ('fr_FR');
    insert into term (term, state, devices) values ('shoes', 'enabled', '{DESKTOP}'), ('boots', 'enabled', '{DESKTOP}');
    insert into slot (term_id, device, slot_ts, state, settled_at)
        select 1, 'desktop', at, 'verified', at + interval '1 minute'
        from generate_series(date_trunc('hour', now()) - interval '2 years', now(), interval '1 day') at;
    insert into capture (id, slot_id, attempt, term_id, term, keyword_type, engine, device, locale, slot_ts, taken_at, final_url, verdict,
            doubt, page_sha256, view_sha256, reader_version, text_ads, shopping_ads, saves_text_ads, saves_shopping_ads, n_rows)
        select capture_id, id, 1, 1, 'shoes', 'GENERIC', 'google', 'desktop', 'fr_FR', slot_ts, settled_at, 'http://serp.example',
            'doubtful', 'a doubt', sha256('page'), sha256('view'), '1', 0, 0, true, true, 0
        from slot;
    insert into evidence_entry (day, position, capture_id, digest, manifest)
        select (taken_at at time zone 'UTC')::date, 1, id, sha256('digest'), '{}' from capture;
    insert into audit_entry (at, event) select taken_at, 'login' from capture;
";

async fn run(connection: &mut sqlx::PgConnection, statements: &str) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(statements.to_owned()))
        .execute(connection)
        .await
        .unwrap_or_else(|error| panic!("{statements}: {error}"));
}

async fn text(connection: &mut sqlx::PgConnection, query: String) -> String {
    let row = sqlx::raw_sql(sqlx::AssertSqlSafe(query))
        .fetch_one(connection)
        .await
        .unwrap();
    row.get(0)
}

/// What the tables hold, whatever their form.
async fn contents(connection: &mut sqlx::PgConnection) -> Vec<String> {
    let mut contents = Vec::new();
    for table in TABLES {
        let query = format!(
            "select count(*) || ' ' || coalesce(md5(string_agg(row::text, ',' order by row::text)), '')
             from (select to_jsonb(t) - 'slot_ts' - 'transaction_id' as row from {table} t) rows"
        );
        contents.push(text(connection, query).await);
    }
    contents
}

#[tokio::test]
async fn existing_rows_are_put_in_their_months_unchanged() {
    let store = Postgres::new().await;
    let mut connection = store.pool.acquire().await.unwrap();
    run(&mut connection, "create schema before; set search_path to before").await;
    for step in MIGRATIONS.iter().filter(|step| step.version <= BEFORE) {
        run(&mut connection, step.sql.as_str()).await;
    }
    run(&mut connection, TWO_YEARS).await;
    run(
        &mut connection,
        "insert into organic_result select id, 1, 'shop.example', 'http://shop.example', 'Shoes' from capture;
         insert into failed_page (slot_id, attempt, failure, term, engine, device, locale, taken_at, final_url, page_sha256, view_sha256,
             reader_version)
         select slot_id, 1, 'captcha', term, engine, device, locale, taken_at, final_url, page_sha256, view_sha256, '1' from capture",
    )
    .await;
    run(
        &mut connection,
        "insert into action (domain, last_capture_at) values ('orphan.example', now()); insert into action (domain) values ('by.hand.example')",
    )
    .await;
    let before = contents(&mut connection).await;
    for step in MIGRATIONS.iter().filter(|step| step.version > BEFORE) {
        run(&mut connection, &format!("begin; {}; commit", step.sql.as_str())).await;
    }
    assert_eq!(contents(&mut connection).await, before);
    for table in TABLES {
        let whole = format!(
            "select (count(*) >= 25 and not exists (select from {table}_other))::text from months_of('{table}')"
        );
        assert_eq!(text(&mut connection, whole).await, "true", "{table}");
    }
    let days = "select (count(*) = (select count(*) from evidence_entry))::text from evidence_day";
    assert_eq!(text(&mut connection, days.to_owned()).await, "true");

    let orphans = "select concat_ws(' ', (select string_agg(domain, ',') from action), (select string_agg(action ->> 'domain', ',') from action_archive))";
    assert_eq!(
        text(&mut connection, orphans.to_owned()).await,
        "by.hand.example orphan.example"
    );

    // Sequences go on where they were, and older rows keep their ids.
    let slots = "insert into slot (term_id, device, slot_ts) values (2, 'desktop', now()) returning (id % 10000000000 > 700)::text";
    assert_eq!(text(&mut connection, slots.to_owned()).await, "true");
    let entries = "insert into audit_entry (event) values ('login') returning (id > 700)::text";
    assert_eq!(text(&mut connection, entries.to_owned()).await, "true");
    let found = "select count(*)::text from slot old join slot s on s.id = old.id and s.slot_ts >= slots_from(old.id)
        and s.slot_ts < slots_until(old.id) where old.id < 10000000000";
    let all = "select count(*)::text from capture";
    assert_eq!(
        text(&mut connection, found.to_owned()).await,
        text(&mut connection, all.to_owned()).await
    );
}

#[tokio::test]
async fn a_row_of_any_time_is_accepted_and_gets_its_month() {
    let store = Postgres::new().await;
    store.term("shoes", None, 3_600_000).await;
    store
        .execute("insert into slot (term_id, device, slot_ts) values (1, 'desktop', '2019-02-03'), (1, 'desktop', '2039-02-03')")
        .await;
    let before: String = store
        .fetch("select string_agg(slot::text, ',' order by id) from slot")
        .await;
    assert_eq!(store.fetch::<i64>("select count(*) from slot_other").await, 2);
    assert_eq!(months::make(&store.pool).await.unwrap(), 2);
    assert_eq!(months::make(&store.pool).await.unwrap(), 0);
    let names = "select string_agg(tableoid::regclass::text, ' ' order by id) from slot";
    assert_eq!(store.fetch::<String>(names).await, "slot_2019_02 slot_2039_02");
    let after: String = store
        .fetch("select string_agg(slot::text, ',' order by id) from slot")
        .await;
    assert_eq!(after, before, "names and ids stay");
}

#[tokio::test]
async fn months_to_come_have_their_tables() {
    let store = Postgres::new().await;
    for table in TABLES {
        let coming = format!(
            "select (count(*) >= 2)::text from months_of('{table}') month where month > (now() at time zone 'UTC')::date"
        );
        let mut connection = store.pool.acquire().await.unwrap();
        assert_eq!(text(&mut connection, coming).await, "true", "{table}");
    }
}

#[tokio::test]
async fn months_are_dropped_as_a_whole_and_the_term_of_a_slot_takes_it_along() {
    let store = Postgres::new().await;
    store.execute(TWO_YEARS).await;
    months::make(&store.pool).await.unwrap();
    let month: NaiveDate = store
        .fetch("select (date_trunc('month', now() at time zone 'UTC') - interval '1 year')::date")
        .await;
    let dropped = months::drop_before(&store.pool, &SETUP, MonthlyTables::Ledger, month)
        .await
        .unwrap();
    assert!((12..=13).contains(&dropped), "{dropped}");
    assert_eq!(
        months::drop_before(&store.pool, &SETUP, MonthlyTables::Ledger, month)
            .await
            .unwrap(),
        0
    );
    let oldest = "select least((select min(slot_ts) from slot), (select min(slot_ts) from capture),
        (select min(day)::timestamptz from evidence_entry)) >= date_trunc('month', now() at time zone 'UTC') - interval '1 year'";
    assert!(store.fetch::<bool>(oldest).await);
    assert!(
        store.fetch::<bool>("select count(*) > 700 from audit_entry").await,
        "it has a time of its own"
    );
    assert!(
        months::drop_before(&store.pool, &SETUP, MonthlyTables::Audit, month)
            .await
            .unwrap()
            > 11
    );

    store
        .execute(
            "insert into failed_page (slot_id, slot_ts, attempt, failure, term, engine, device, locale, taken_at, final_url, page_sha256,
                 view_sha256, reader_version)
             select slot_id, slot_ts, 1, 'captcha', term, engine, device, locale, taken_at, final_url, page_sha256, view_sha256, '1'
             from capture;
             delete from term where id = 1",
        )
        .await;
    let left = "select concat_ws(' ', (select count(*) from slot), (select count(*) from failed_page), (select count(slot_id) from capture),
        (select count(*) > 300 from capture))";
    assert_eq!(store.fetch::<String>(left).await, "0 0 0 t");
}

/// The months of the ledger that a query scans, planned for any arguments.
async fn looked_into(connection: &mut sqlx::PgConnection, query: &str, arguments: &str) -> Vec<String> {
    run(connection, &format!("prepare examined as {query}")).await;
    let explain = format!("explain (analyze, costs off, timing off, summary off) execute examined({arguments})");
    let plan = sqlx::raw_sql(sqlx::AssertSqlSafe(explain))
        .fetch_all(&mut *connection)
        .await
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    run(connection, "deallocate examined").await;
    let lines: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
    let mut found: Vec<String> = lines
        .iter()
        .filter(|line| line.contains("Scan") && !line.contains("never executed"))
        .filter_map(|line| {
            let name = line.split_once(" on ")?.1.split_whitespace().next()?;
            let month = name.get(name.len().checked_sub(7)?..)?.to_owned();
            (name.starts_with("slot_2") || name.starts_with("capture_2") || name.starts_with("failed_page_2"))
                .then_some(month)
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

#[tokio::test]
async fn frequent_queries_scan_no_more_months_than_they_are_about() {
    let store = Postgres::new().await;
    store.execute(TWO_YEARS).await;
    months::make(&store.pool).await.unwrap();
    let mut connection = store.pool.acquire().await.unwrap();
    run(&mut connection, "analyze; set plan_cache_mode = force_generic_plan").await;
    let newest = "(select max(id) from slot)";
    let capture = "(select id from capture order by slot_ts desc limit 1)";
    let (newest, capture) = (
        text(&mut connection, format!("select {newest}::text")).await,
        text(&mut connection, format!("select {capture}::text")).await,
    );
    // The months whose rows may be scanned; tables of months to come are empty.
    let oldest = |days: u32| format!("select to_char(now() at time zone 'UTC' - interval '{days} days', 'YYYY_MM')");
    for (name, query, arguments, days) in [
        (
            "claim",
            include_str!("../../queries/claim_slot.sql"),
            format!("{newest}, 0, 'w', '1 minute'"),
            0,
        ),
        (
            "schedule",
            include_str!("../../queries/claim_due.sql"),
            "10".to_owned(),
            0,
        ),
        (
            "capture",
            include_str!("../../queries/capture_by_id.sql"),
            format!("'{capture}'"),
            0,
        ),
        (
            "slot",
            include_str!("../../queries/capture_of_slot.sql"),
            newest.clone(),
            0,
        ),
        (
            "last runs",
            include_str!("../../queries/last_runs.sql"),
            "null, null, 20".to_owned(),
            35,
        ),
        (
            "reviewed",
            include_str!("../../queries/reviewed.sql"),
            format!("array[{newest}]"),
            0,
        ),
        (
            "doubtful",
            include_str!("../../queries/open_doubtful.sql"),
            "20".to_owned(),
            65,
        ),
        (
            "failed",
            include_str!("../../queries/open_failed.sql"),
            "array['captcha'], true, 20".to_owned(),
            65,
        ),
        (
            "captures without ads",
            include_str!("../../queries/captures_without_ads.sql"),
            "null, null, now() - interval '7 days', now(), '[]', 'UTC'".to_owned(),
            7 + 35,
        ),
        (
            "schedules",
            include_str!("../../queries/schedules.sql"),
            "'', null, false, 50, 0".to_owned(),
            70,
        ),
    ] {
        let months = looked_into(&mut connection, query, &arguments).await;
        let first = text(&mut connection, oldest(days)).await;
        assert!(months.iter().all(|month| *month >= first), "{name}: {months:?}");
    }
    // The same query without the time that an id carries scans all.
    let all = looked_into(&mut connection, "select from slot where id = $1", &newest).await;
    assert!(all.len() > 24, "{all:?}");
}

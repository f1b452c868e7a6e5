//! States that the schema makes impossible.

use testkit::Postgres;

/// Runs a statement that must be refused, and returns the constraint that refused it.
async fn refused(store: &Postgres, statement: &'static str) -> String {
    let error = sqlx::raw_sql(statement)
        .execute(&store.pool)
        .await
        .expect_err(statement);
    let error = error.into_database_error().expect("a refusal of the database");
    error
        .constraint()
        .map_or_else(|| error.message().to_owned(), str::to_owned)
}

#[tokio::test]
async fn a_second_migration_changes_nothing() {
    let store = Postgres::new().await;
    postgres::migrate(&store.direct()).await.unwrap();
    assert_eq!(postgres::pending_migrations(&store.pool).await.unwrap(), 0);
}

#[tokio::test]
async fn an_action_is_unique_by_brand_domain_country_and_engine() {
    let store = Postgres::new().await;
    store.brand("acme").await;
    let insert = "insert into action (brand_id, domain, country, engine) values (1, 'shop.example', 'FR', 'google')";
    store.execute(insert).await;
    assert_eq!(refused(&store, insert).await, "action_key");
    store
        .execute("insert into action (brand_id, domain, country, engine) values (1, 'shop.example', 'BE', 'google')")
        .await;
}

#[tokio::test]
async fn the_same_words_are_tracked_once_per_engine_place_and_region() {
    let store = Postgres::new().await;
    store.execute("insert into term (term) values ('Red  Shoes')").await;
    assert_eq!(
        refused(&store, "insert into term (term) values (' red shoes ')").await,
        "term_key"
    );
    store
        .execute("insert into term (term, engine) values ('red shoes', 'BING')")
        .await;
}

#[tokio::test]
async fn words_of_no_vocabulary_are_refused() {
    let store = Postgres::new().await;
    for statement in [
        "insert into term (term, engine) values ('a', 'YAHOO')",
        "insert into term (term, state) values ('a', 'x')",
        "insert into term (term, devices) values ('a', '{WATCH}')",
        "insert into action (status) values ('lost')",
        "insert into category (label, scope) values ('a', 'brand')",
        "insert into user_account (email, password_hash) values ('a@b.example', 'secret')",
        "insert into access_token (sha256, user_id) values ('\\x00', 1)",
    ] {
        assert!(refused(&store, statement).await.ends_with("_check"), "{statement}");
    }
}

#[tokio::test]
async fn defaults_are_those_of_the_specification() {
    let store = Postgres::new().await;
    store
        .execute(
            "insert into term (term) values ('a'); insert into action default values; insert into alert default values",
        )
        .await;
    store
        .execute("insert into email default values; insert into contact (email) values ('a@b.example')")
        .await;
    assert_eq!(
        store
            .fetch::<String>("select concat_ws(' ', keyword_type, engine, state) from term")
            .await,
        "GENERIC GOOGLE disabled"
    );
    assert_eq!(
        store
            .fetch::<String>("select concat_ws(' ', priority, reminded_count, status) from action")
            .await,
        "50 0 new"
    );
    assert_eq!(
        store
            .fetch::<String>("select concat_ws(' ', enable, frequency, type) from alert")
            .await,
        "f 7 days cron"
    );
    assert_eq!(
        store
            .fetch::<String>("select concat_ws(' ', status, open) from email")
            .await,
        "draft f"
    );
    assert_eq!(store.fetch::<String>("select state from contact").await, "active");
}

#[tokio::test]
async fn a_slot_cannot_end_without_a_reason_or_hold_a_lease_after_its_end() {
    let store = Postgres::new().await;
    store.term("shoes", None, 3_600_000).await;
    store
        .execute("insert into slot (term_id, device, slot_ts) values (1, 'desktop', now())")
        .await;
    for statement in [
        "update slot set state = 'failed', settled_at = now()",
        "update slot set state = 'verified'",
        "update slot set state = 'capturing'",
        "update slot set state = 'verified', settled_at = now(), leased_by = 'w', lease_until = now()",
        "insert into slot (term_id, device, slot_ts) select term_id, device, slot_ts from slot",
    ] {
        refused(&store, statement).await;
    }
}

#[tokio::test]
async fn the_audit_log_and_the_operators_journal_cannot_be_changed() {
    let store = Postgres::new().await;
    store.execute("insert into audit_entry (event) values ('login')").await;
    assert!(
        refused(&store, "update audit_entry set event = 'x'")
            .await
            .contains("append only")
    );
    for statement in [
        "delete from audit_entry",
        "truncate audit_entry",
        "do $$ begin execute to_char(now(), '\"truncate audit_entry_\"YYYY_MM'); end $$",
    ] {
        assert!(refused(&store, statement).await.contains("append only"), "{statement}");
    }

    store
        .execute("insert into operator_act (user_id, user_name, act, engine) values (1, 'Ada', 'pause', 'bing')")
        .await;
    assert!(
        refused(&store, "update operator_act set user_name = 'x'")
            .await
            .contains("append only")
    );
    assert!(
        refused(&store, "delete from operator_act")
            .await
            .contains("append only")
    );
}

#[tokio::test]
async fn a_mail_is_queued_once_for_its_business_key() {
    let store = Postgres::new().await;
    let queue = "insert into mail_outbox (business_key, kind, recipients, message_id)
        values ('action 1 cycle 1 reminder 1', 'reminder', '[\"a@b.example\"]', gen_random_uuid()::text)";
    store.execute(queue).await;
    assert_eq!(refused(&store, queue).await, "mail_outbox_business_key_key");
}

/// Foreign keys without an index that begins with their columns and covers every row that has one.
const UNINDEXED: &str = "
    select coalesce(string_agg(conrelid::regclass || ' (' || names || ')', ', ' order by names), '')
    from (
        select c.oid, c.conrelid, c.conkey, string_agg(a.attname, ', ' order by k.place) as names,
            case count(*) when 1 then '(' || min(a.attname) || ' IS NOT NULL)' end as present
        from pg_constraint c
            cross join unnest(c.conkey) with ordinality k (number, place)
            join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
        where c.contype = 'f' and c.conparentid = 0
        group by c.oid
    ) as foreign_key
    where not exists (
        select from pg_index i
        where i.indrelid = conrelid and i.indisvalid
            and (i.indkey::smallint[])[0:cardinality(conkey) - 1] @> conkey
            and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) = present)
    )";

#[tokio::test]
async fn every_foreign_key_has_an_index() {
    let store = Postgres::new().await;
    assert_eq!(store.fetch::<String>(UNINDEXED).await, "");
    store
        .execute("create table visit (id integer, seen_by integer references user_account)")
        .await;
    assert_eq!(store.fetch::<String>(UNINDEXED).await, "visit (seen_by)");
}

//! Descriptors against the schema, and reads and writes by descriptor.

use std::collections::BTreeMap;

use postgres::resources::{self, ReachedFrom};
use serde_json::json;
use testkit::Postgres;
use vocabulary::resources::models::{ALL, CATEGORY, TERM};
use vocabulary::resources::{Condition, Filter, Kind, Link, RowStore, Usage, Value};
use vocabulary::{Scope, SystemScope, UserId};

/// The types of the columns of every table.
async fn columns(store: &Postgres) -> BTreeMap<(String, String), String> {
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "select table_name::text, column_name::text, udt_name::text from information_schema.columns where table_schema = 'public'",
    )
    .fetch_all(&store.pool)
    .await
    .unwrap();
    rows.into_iter()
        .map(|(table, column, kind)| ((table, column), kind))
        .collect()
}

fn fits(kind: Kind, stored: &str) -> bool {
    match kind {
        Kind::Id | Kind::Key => stored == "int4",
        Kind::Whole => ["int4", "int8"].contains(&stored),
        Kind::Number => stored == "float8",
        Kind::Text => stored == "text",
        Kind::Flag => stored == "bool",
        Kind::Date => stored == "timestamptz",
        Kind::Json | Kind::List => stored == "jsonb",
        Kind::Texts => stored == "_text",
        Kind::File => stored == "uuid",
        Kind::Digest => stored == "bytea",
    }
}

#[tokio::test]
async fn every_descriptor_is_what_the_schema_says() {
    let store = Postgres::new().await;
    let columns = columns(&store).await;
    let kind_of = |table: &str, column: &str| columns.get(&(table.to_owned(), column.to_owned()));
    let mut compared = 0;
    for model in ALL.iter().filter(|model| model.store == RowStore::Postgres) {
        for field in model.fields.iter().filter(|field| !field.column.is_empty()) {
            let stored = kind_of(model.table, field.column);
            let stored = stored.unwrap_or_else(|| panic!("{}.{} has no column", model.name, field.name));
            assert!(fits(field.kind, stored), "{}.{} is {stored}", model.name, field.name);
            compared += 1;
        }
        for relation in model.relations {
            match relation.link {
                Link::BelongsTo { key } => assert!(model.field(key).is_some(), "{}.{}", model.name, relation.name),
                Link::HasMany { key } => {
                    assert!(relation.target.field(key).is_some(), "{}.{}", model.name, relation.name);
                }
                Link::Through { join, own, other } => {
                    for key in [join.key(own), join.key(other)] {
                        let stored = kind_of(join.table, key.column).unwrap();
                        assert_eq!(
                            stored,
                            if key.is_text { "text" } else { "int4" },
                            "{}.{}",
                            join.table,
                            key.column
                        );
                    }
                }
                Link::References { column } => assert_eq!(kind_of(model.table, column).unwrap(), "_int4"),
            }
        }
    }
    assert!(compared > 150, "{compared} columns");
}

#[tokio::test]
async fn every_unique_key_of_a_descriptor_is_one_of_the_schema() {
    let store = Postgres::new().await;
    for model in ALL {
        for unique in model.unique {
            let there: bool =
                sqlx::query_scalar("select exists (select 1 from pg_indexes where indexname = $1 and tablename = $2)")
                    .bind(unique.key)
                    .bind(model.table)
                    .fetch_one(&store.pool)
                    .await
                    .unwrap();
            assert!(there, "{}", unique.key);
            assert!(model.field(unique.field).is_some(), "{}", unique.field);
        }
    }
}

fn condition(where_: &serde_json::Value) -> Condition {
    Condition::parse(&TERM, where_, Usage::Read).unwrap()
}

#[tokio::test]
async fn a_condition_finds_what_it_says() {
    let store = Postgres::new().await;
    let brand = store.brand("acme").await;
    store.term("red shoes", Some(brand), 0).await;
    store.term("blue shoes", None, 3_600_000).await;
    let core: i32 = store
        .fetch("with tag as (insert into category (label, scope) values ('Core', 'term') returning id), linked as
            (insert into term_category (term_id, category_id) select t.id, tag.id from term t, tag where t.term = 'red shoes')
            select id from tag")
        .await;
    let company: i32 = store
        .fetch("with company as (insert into company_account (name) values ('acme') returning id), linked as
            (insert into term_company_account (term_id, company_account_id) select t.id, c.id from term t, company c where t.term = 'blue shoes')
            select id from company")
        .await;
    let system = SystemScope::new("test");
    for (where_, terms) in [
        (json!({"term": {"like": "red%"}}), 1),
        (json!({"term": {"regexp": "/^(RED|blue) s/i"}}), 2),
        (json!({"term": {"regexp": "^r"}}), 1),
        (json!({"devices": "DESKTOP"}), 2),
        (json!({"options.saveShoppingAds": true}), 2),
        (json!({"options.saveShoppingAds": {"neq": true}}), 0),
        (json!({"brandId": null}), 1),
        (json!({"every": {"between": [1, 3_600_000]}}), 1),
        (json!({"or": [{"term": "red shoes"}, {"every": {"gt": 0}}]}), 2),
        (json!({"nope": 1}), 2),
        (json!({"categories": {"inq": [core]}}), 1),
        (json!({"categories": core}), 1),
        (json!({"categories": {"nin": [core]}}), 1),
        (json!({"categories": {"inq": [core + 1]}}), 0),
        (json!({"categories": {"inq": []}}), 0),
        (json!({"canBeAccessBy": {"inq": [company]}}), 1),
        (json!({"canBeAccessBy": {"inq": [company]}, "categories": core}), 0),
    ] {
        let mut connection = store.pool.acquire().await.unwrap();
        let settled = resources::settle(&mut connection, &system, &TERM, condition(&where_))
            .await
            .unwrap();
        let count = resources::count(&mut *connection, &system, &TERM, ReachedFrom::Anywhere, &settled)
            .await
            .unwrap();
        assert_eq!(count, terms, "{where_}");
    }
}

#[tokio::test]
async fn a_condition_on_joined_rows_names_thousands_of_those_in_sight() {
    let store = Postgres::new().await;
    let (ours, theirs) = (store.brand("ours").await, store.brand("theirs").await);
    store
        .execute(
            "insert into category (label, scope, visibility) values ('Core', 'term', 'all');
             insert into term (term, brand_id) select 'shoes ' || n, 1 + n % 2 from generate_series(1, 3000) n;
             insert into term_category (term_id, category_id) select t.id, c.id from term t, category c where c.label = 'Core' and t.id <= 2400",
        )
        .await;
    let core: i32 = store.fetch("select id from category where label = 'Core'").await;
    assert_eq!((ours.0, theirs.0), (1, 2));
    let system = SystemScope::new("test");
    let company = Scope::within(UserId(1), vec![ours], vec![]);
    for (scope, tagged, others) in [(&*system, 2_400, 600), (&company, 1_200, 300)] {
        for (where_, expected) in [
            (json!({"categories": {"inq": [core]}}), tagged),
            (json!({"categories": {"nin": [core]}}), others),
            (
                json!({"or": [{"categories": core}, {"categories": {"nin": [core]}}]}),
                tagged + others,
            ),
        ] {
            let mut connection = store.pool.acquire().await.unwrap();
            let settled = resources::settle(&mut connection, scope, &TERM, condition(&where_))
                .await
                .unwrap();
            let count = resources::count(&mut *connection, scope, &TERM, ReachedFrom::Anywhere, &settled)
                .await
                .unwrap();
            assert_eq!(count, expected, "{where_}");
        }
    }
}

#[tokio::test]
async fn rows_of_another_company_are_neither_seen_nor_changed() {
    let store = Postgres::new().await;
    let ours = store.brand("ours").await;
    let theirs = store.brand("theirs").await;
    store.term("red shoes", Some(theirs), 0).await;
    let scope = Scope::within(UserId(1), vec![ours], vec![]);
    let all = Filter::everything();
    assert!(
        resources::find(&store.pool, &scope, &TERM, ReachedFrom::Anywhere, &all)
            .await
            .unwrap()
            .is_empty()
    );
    let mut connection = store.pool.acquire().await.unwrap();
    let state = TERM.field("state").unwrap();
    let change = [(state, Value::Text("archived".into()))];
    let changed = resources::update(&mut connection, &scope, &TERM, &Condition::everything(), &change)
        .await
        .unwrap();
    assert!(changed.is_empty());
    let removed = resources::remove(&mut *connection, &scope, &TERM, &Condition::everything())
        .await
        .unwrap();
    assert!(removed.is_empty());
    assert_eq!(store.fetch::<String>("select state from term").await, "enabled");
}

#[tokio::test]
async fn a_tag_cannot_be_given_to_another_company() {
    let store = Postgres::new().await;
    let ours = store.brand("ours").await;
    let theirs = store.brand("theirs").await;
    let scope = Scope::within(UserId(1), vec![ours], vec![]);
    let mut transaction = postgres::begin(&store.pool).await.unwrap();
    let tag = |brand: i32| {
        let field = |name: &str| CATEGORY.field(name).unwrap();
        vec![
            (field("label"), Value::Text("Outlet".into())),
            (field("brandOwnerId"), Value::Whole(brand.into())),
        ]
    };
    assert!(
        resources::insert(&mut transaction, &scope, &CATEGORY, &tag(ours.0), false)
            .await
            .unwrap()
            .is_some()
    );
    let refused = resources::insert(&mut transaction, &scope, &CATEGORY, &tag(theirs.0), false).await;
    assert!(matches!(refused, Err(postgres::Error::OutOfReach)));
    let moved = [(CATEGORY.field("brandOwnerId").unwrap(), Value::Whole(theirs.0.into()))];
    let refused = resources::update(&mut transaction, &scope, &CATEGORY, &Condition::everything(), &moved).await;
    assert!(matches!(refused, Err(postgres::Error::OutOfReach)));
}

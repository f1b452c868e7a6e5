//! Users, tokens and flags.

use chrono::{DateTime, TimeDelta, Utc};
use postgres::tokens::{self, MadeIn, NewToken};
use postgres::users::{self, NewUser};
use postgres::{companies, flags};
use testkit::{Postgres, SETUP};
use vocabulary::{Role, UserId};

const HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA";

async fn user(store: &Postgres, email: &str, roles: &[Role]) -> UserId {
    let mut connection = store.pool.acquire().await.unwrap();
    let new = NewUser {
        email,
        password_hash: Some(HASH),
        roles,
        ..NewUser::default()
    };
    users::create(&mut connection, &new).await.unwrap()
}

fn token(digest: &[u8; 32], user: UserId) -> NewToken<'_> {
    let created = DateTime::<Utc>::UNIX_EPOCH;
    NewToken {
        digest,
        user,
        ttl: 60,
        scopes: None,
        created,
        made_in: None,
        impersonated_by: None,
        user_agent: None,
    }
}

#[tokio::test]
async fn a_user_is_found_by_the_exact_address_before_one_of_another_case() {
    let store = Postgres::new().await;
    let upper = user(&store, "ANN@acme.example", &[]).await;
    assert_eq!(
        users::credentials(&store.pool, "ann@acme.example")
            .await
            .unwrap()
            .unwrap()
            .id,
        upper
    );
    let taken = users::create(
        &mut store.pool.acquire().await.unwrap(),
        &NewUser {
            email: "ann@acme.example",
            ..NewUser::default()
        },
    )
    .await;
    assert_eq!(taken.unwrap_err().violated_key(), Some("user_account_address_key"));
    // Two that shared an address before.
    let insert = "insert into user_account (email, shares_address) values ('ann@acme.example', true) returning id";
    let lower = UserId(store.fetch(insert).await);
    assert_eq!(
        users::credentials(&store.pool, "ann@acme.example")
            .await
            .unwrap()
            .unwrap()
            .id,
        lower
    );
    assert!(
        users::credentials(&store.pool, "bob@acme.example")
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn accounts_that_shared_an_address_before_keep_theirs_and_get_no_third() {
    let store = Postgres::new().await;
    store
        .execute(
            "drop trigger user_account_address on user_account; drop function address_is_ones_own;
             alter table user_account drop column shares_address;
             insert into user_account (email) values ('Ann@acme.example'), ('ann@acme.example'), ('bea@acme.example')",
        )
        .await;
    store
        .execute(include_str!("../../migrations/0074_one_account_an_address.sql"))
        .await;
    let shares = "select string_agg(email, ',' order by id) from user_account where shares_address";
    assert_eq!(store.fetch::<String>(shares).await, "ann@acme.example");
    let third = users::create(
        &mut store.pool.acquire().await.unwrap(),
        &NewUser {
            email: "ANN@ACME.example",
            ..NewUser::default()
        },
    )
    .await;
    assert_eq!(third.unwrap_err().violated_key(), Some("user_account_address_key"));
    // An account with another address shares none any more.
    store
        .execute("update user_account set email = 'ann2@acme.example' where email = 'ann@acme.example'")
        .await;
    assert_eq!(
        store
            .fetch::<i64>("select count(*) from user_account where shares_address")
            .await,
        0
    );
}

/// A user, as a request with a token knows it.
async fn signed_in(store: &Postgres, digest: tokens::Digest, user: UserId) -> users::User {
    tokens::create(&store.pool, &token(&digest, user)).await.unwrap();
    let (_, found) = tokens::find(&store.pool, &digest).await.unwrap().unwrap();
    found
}

#[tokio::test]
async fn a_user_comes_with_roles_company_and_brands_and_the_scope_follows() {
    let store = Postgres::new().await;
    let company = companies::create(&store.pool, &SETUP, "north", "North").await.unwrap();
    let (own, other) = (store.brand("acme").await, store.brand("bolt").await);
    companies::link_brand(&store.pool, &SETUP, company, own).await.unwrap();
    let mut connection = store.pool.acquire().await.unwrap();
    let new = NewUser {
        email: "ann@acme.example",
        company: Some(company),
        ..NewUser::default()
    };
    let ann = users::create(&mut connection, &new).await.unwrap();
    let ann = signed_in(&store, [1; 32], ann).await;
    assert_eq!(ann.company.as_ref().unwrap().brands.len(), 1);
    assert!(ann.scope().sees_brand(own) && !ann.scope().sees_brand(other));

    let admin = user(&store, "root@acme.example", &[Role::Admin]).await;
    let admin = signed_in(&store, [2; 32], admin).await;
    assert_eq!(admin.known_roles(), [Role::Admin]);
    assert!(admin.scope().is_everything());
    assert_eq!(users::count_with_role(&store.pool, Role::Admin).await.unwrap(), 1);
}

#[tokio::test]
async fn a_token_made_while_impersonating_ends_with_the_administrators_own() {
    let store = Postgres::new().await;
    let (admin, ann) = (
        user(&store, "root@acme.example", &[Role::Admin]).await,
        user(&store, "ann@acme.example", &[]).await,
    );
    let own = tokens::create(&store.pool, &token(&[1; 32], admin)).await.unwrap();
    let worn = NewToken {
        made_in: Some(MadeIn {
            session: own,
            ends: DateTime::UNIX_EPOCH + TimeDelta::seconds(60),
        }),
        impersonated_by: Some(admin),
        ..token(&[2; 32], ann)
    };
    tokens::create(&store.pool, &worn).await.unwrap();
    let (found, _) = tokens::find(&store.pool, &[2; 32]).await.unwrap().unwrap();
    assert_eq!((found.user, found.impersonated_by), (ann, Some(admin)));
    assert_eq!(found.expires_at(), DateTime::UNIX_EPOCH + TimeDelta::seconds(60));
    assert!(tokens::revoke(&store.pool, own).await.unwrap());
    assert!(tokens::find(&store.pool, &[2; 32]).await.unwrap().is_none());
}

#[tokio::test]
async fn expired_tokens_are_deleted_and_others_stay() {
    let store = Postgres::new().await;
    let ann = user(&store, "ann@acme.example", &[]).await;
    let now = DateTime::UNIX_EPOCH + TimeDelta::hours(1);
    tokens::create(&store.pool, &token(&[1; 32], ann)).await.unwrap();
    let fresh = tokens::create(
        &store.pool,
        &NewToken {
            created: now,
            ..token(&[2; 32], ann)
        },
    )
    .await
    .unwrap();
    assert_eq!(tokens::delete_expired(&store.pool, now).await.unwrap(), 1);
    assert_eq!(tokens::revoke_all(&store.pool, ann, Some(fresh)).await.unwrap(), 0);
    assert_eq!(tokens::revoke_all(&store.pool, ann, None).await.unwrap(), 1);
}

#[tokio::test]
async fn flags_are_on_by_role() {
    let store = Postgres::new().await;
    let of = async |roles: &[Role]| flags::of_user(&store.pool, UserId(1), roles).await.unwrap();
    assert!(!of(&[]).await["header_workspaces_switch"]);
    assert!(of(&[Role::Operator]).await["header_workspaces_switch"]);
    assert!(!of(&[Role::Operator]).await["stopgo_dashboard"]);
    assert!(of(&[Role::Admin]).await["stopgo_dashboard"]);
}

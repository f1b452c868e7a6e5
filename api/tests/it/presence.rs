//! The people on the pages of cases: who knows of whom.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

const CASES: &str = "insert into action (id, brand_id, domain, country, engine, status)
    select case name when 'acme' then 1 else 2 end, id, name || '.shop.example', 'FR', 'google', 'requested'::action_status from brand
    where name in ('acme', 'bolt');
    insert into user_account (email, first_name, last_name, company_account_id, password_hash)
    select 'second@acme.example', 'Bea', 'Brook', company_account_id, password_hash from user_account where email = 'user@acme.example'";

async fn world() -> (App, [String; 4]) {
    let app = App::start().await;
    app.company_user("acme").await;
    app.company_user("bolt").await;
    app.operator().await;
    app.postgres.execute(CASES).await;
    let tokens = [
        app.login("operator@vigie.example").await,
        app.login("user@acme.example").await,
        app.login("second@acme.example").await,
        app.login("user@bolt.example").await,
    ];
    (app, tokens)
}

async fn say(app: &App, token: &str, case: i32, page: &str, doing: &str) -> (StatusCode, Value) {
    let path = format!("/api/actions/presence?actionID={case}");
    let answer = app
        .post(&path, &json!({"page": page, "doing": doing}), &[("token", token)])
        .await;
    (answer.status, answer.body["data"].clone())
}

fn names(data: &Value) -> Vec<(&str, bool)> {
    let people = data["people"].as_array().unwrap();
    people
        .iter()
        .map(|person| (person["name"].as_str().unwrap(), person["writes"].as_bool().unwrap()))
        .collect()
}

#[tokio::test]
async fn staff_sees_everybody_on_a_case_and_a_company_its_own_people() {
    let (app, [operator, ann, bea, eve]) = world().await;
    let (status, alone) = say(&app, &operator, 1, "a", "looks").await;
    assert_eq!((status, names(&alone)), (StatusCode::OK, vec![]));
    assert_eq!(
        names(&say(&app, &ann, 1, "b", "looks").await.1),
        [],
        "no company learns of staff"
    );
    let (_, seen) = say(&app, &bea, 1, "c", "looks").await;
    assert_eq!(names(&seen), [("user@acme.example", false)]);
    let (_, seen) = say(&app, &operator, 1, "a", "looks").await;
    assert_eq!(names(&seen), [("Bea Brook", false), ("user@acme.example", false)]);
    assert_eq!(say(&app, &eve, 1, "d", "looks").await.0, StatusCode::NOT_FOUND);
    assert_eq!(say(&app, &operator, 77, "a", "looks").await.0, StatusCode::NOT_FOUND);
    for page in ["", "a b", "a.b", &"a".repeat(37)] {
        assert_eq!(
            say(&app, &ann, 1, page, "looks").await.0,
            StatusCode::BAD_REQUEST,
            "{page}"
        );
    }
    let of_list = "/api/actions/presence?actionID=1&actionID=2&actionID=77";
    let listed = app.get(of_list, &[("token", &operator)]).await.body;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(
        (&listed["data"][0]["ID"], names(&listed["data"][0]).len()),
        (&json!(1), 2)
    );
    assert_eq!(app.get(of_list, &[("token", &eve)]).await.body["data"], json!([]));
    say(&app, &bea, 1, "c", "leaves").await;
    let (_, seen) = say(&app, &operator, 1, "a", "looks").await;
    assert_eq!(names(&seen), [("user@acme.example", false)]);
}

#[tokio::test]
async fn a_writer_knows_of_other_writers_and_of_the_own_other_window() {
    let (app, [operator, ann, bea, _]) = world().await;
    let (_, first) = say(&app, &ann, 1, "one", "writes").await;
    assert_eq!((names(&first), &first["elsewhere"]), (vec![], &json!(false)));
    let (_, second) = say(&app, &ann, 1, "two", "writes").await;
    assert_eq!((names(&second), &second["elsewhere"]), (vec![], &json!(true)));
    let (_, other) = say(&app, &bea, 1, "three", "writes").await;
    assert_eq!(
        (names(&other), &other["elsewhere"]),
        (vec![("user@acme.example", true)], &json!(false))
    );
    say(&app, &ann, 1, "one", "leaves").await;
    let (_, left) = say(&app, &ann, 1, "two", "writes").await;
    assert_eq!(
        (names(&left), &left["elsewhere"]),
        (vec![("Bea Brook", true)], &json!(false))
    );
    // Whoever acts in somebody else's name is not noted.
    app.admin().await;
    let admin = app.login("admin@vigie.example").await;
    let user: i32 = app
        .postgres
        .fetch("select id from user_account where email = 'user@acme.example'")
        .await;
    let path = format!("/api/UserAccounts/{user}/accessTokens");
    let token = app.post(&path, &json!({}), &[("token", &admin)]).await.body;
    let token = token["id"].as_str().unwrap();
    say(&app, &ann, 1, "two", "leaves").await;
    assert_eq!(say(&app, token, 1, "four", "writes").await.0, StatusCode::OK);
    let (_, seen) = say(&app, &operator, 1, "a", "looks").await;
    assert_eq!(names(&seen), [("Bea Brook", true)]);
}

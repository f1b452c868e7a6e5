//! How often words are searched in a month, as a planner of keywords says it: `POST /volumes`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use crate::draw::DrawKey;
use crate::engine::Engine;
use crate::faults::QUERY_MARK;
use crate::world::World;

/// Terms of one question.
const MOST_TERMS: usize = 200;
/// Characters of a term.
const LONGEST_TERM: usize = 80;
/// The word of a term that makes the service fail, after [`QUERY_MARK`].
const FAULT: &str = "volumes";
/// Terms in a hundred that nothing is known of.
const UNKNOWN_PERCENT: u32 = 10;
/// Counts are rounded to these digits, as planners do: 10 to 99,000.
const DIGITS: (usize, usize) = (10, 99);
const POWERS: (usize, usize) = (0, 3);

/// A question about words in one country and language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    engine: Engine,
    /// As in `fr_FR`.
    locale: String,
    terms: Vec<String>,
}

#[derive(Serialize)]
struct CountedTerms {
    /// In the order of the question.
    volumes: Vec<Volume>,
}

/// Searches of one term.
#[derive(Serialize)]
struct Volume {
    term: String,
    /// Null where nothing is known.
    monthly: Option<usize>,
}

/// Answers a question: the same counts for the same words, engine and locale, whatever their case. 400 for a body that is no question, 422 for one that
/// breaks a limit, 503 when a term has the word `fault-volumes`.
pub(crate) async fn volumes(
    State(world): State<Arc<World>>,
    question: Result<Json<Question>, JsonRejection>,
) -> Response {
    let question = match question {
        Ok(Json(question)) => question,
        Err(rejection) => return (StatusCode::BAD_REQUEST, rejection.body_text()).into_response(),
    };
    if let Err(message) = check(&question) {
        return (StatusCode::UNPROCESSABLE_ENTITY, message).into_response();
    }
    let fault = format!("{QUERY_MARK}{FAULT}");
    if question
        .terms
        .iter()
        .any(|term| term.split(' ').any(|word| word == fault))
    {
        return (StatusCode::SERVICE_UNAVAILABLE, "no counts at present").into_response();
    }
    let key = DrawKey::of_seed(world.seed)
        .with("volumes")
        .with(question.engine)
        .with(&question.locale);
    let volumes = question.terms.into_iter().map(|term| Volume {
        monthly: monthly(key, &term),
        term,
    });
    Json(CountedTerms {
        volumes: volumes.collect(),
    })
    .into_response()
}

/// Refuses a question whose locale is malformed, that has too many terms, or one that is blank or too long; the error says the first of these.
fn check(question: &Question) -> Result<(), String> {
    if !matches!(question.locale.split_once('_'), Some((language, country)) if language.len() == 2 && country.len() == 2)
    {
        return Err(format!("locale: '{}' is not of the form fr_FR", question.locale));
    }
    if !(1..=MOST_TERMS).contains(&question.terms.len()) {
        return Err(format!("terms: 1 to {MOST_TERMS}, not {}", question.terms.len()));
    }
    let fits = |term: &String| !term.trim().is_empty() && term.chars().count() <= LONGEST_TERM;
    match question.terms.iter().find(|term| !fits(term)) {
        Some(term) => Err(format!(
            "terms: '{term}' has no words, or more than {LONGEST_TERM} characters"
        )),
        None => Ok(()),
    }
}

/// Searches of a term in a month; `None` for some.
fn monthly(key: DrawKey, term: &str) -> Option<usize> {
    let mut draw = key.with(term.to_lowercase()).draw();
    if draw.happens(UNKNOWN_PERCENT) {
        return None;
    }
    let (power, digits) = (draw.number(POWERS.0, POWERS.1), draw.number(DIGITS.0, DIGITS.1));
    Some(digits * 10_usize.pow(u32::try_from(power).unwrap_or_default()))
}

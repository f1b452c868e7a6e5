//! What is wrong with the fields of a request, said in the language of whoever sent it.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use vocabulary::Language;

use crate::access::client;
use crate::failure;

/// Answers in the language that the request asks for, as far as failures have texts in it; in English without one.
pub(crate) async fn answer_in_it(request: Request, next: Next) -> Response {
    let language = client::language(request.headers()).unwrap_or(Language::En);
    failure::in_language(next.run(request).await, language)
}

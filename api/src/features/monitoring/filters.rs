//! Turns the filters asked for into conditions; tags become the domains and terms that carry them (decision D77).

use analytics::filter::{Condition, Field, Filters, Operator};
use vocabulary::{CategoryId, Scope};

use crate::failure::ApiError;
use crate::lists::{self, RawFilter};
use crate::state::ApiState;

const ADVERTISER_TAG: &str = "advertiserTag";
const KEYWORD_TAG: &str = "keywordTag";

/// The conditions of a list. A filter with an unknown name or value is refused with its name.
pub(super) async fn read(state: &ApiState, scope: &Scope, asked: &[RawFilter]) -> Result<Filters, ApiError> {
    let mut filters = Filters::none();
    for RawFilter { name, operator, values } in asked {
        let condition = match name.as_str() {
            ADVERTISER_TAG => {
                let (include, tags) = read_tags(name, *operator, values)?;
                let domains = lists::domains_of(state, scope, &tags).await?;
                Condition::advertisers(include, domains)
            }
            KEYWORD_TAG => {
                let (include, tags) = read_tags(name, *operator, values)?;
                let terms = lists::terms_of(state, scope, &tags).await?;
                Condition::terms(include, &terms)
            }
            name => {
                let field: Field = name.parse().map_err(|_| unknown(name))?;
                Condition::read(field, *operator, values).map_err(|bad| ApiError::BadRequest(bad.to_string()))?
            }
        };
        filters.push(condition);
    }
    Ok(filters)
}

fn read_tags(name: &str, operator: Operator, values: &[String]) -> Result<(bool, Vec<CategoryId>), ApiError> {
    let include = match operator {
        Operator::Inq | Operator::Contain => true,
        Operator::Nin | Operator::Exclude => false,
        Operator::Between => {
            return Err(ApiError::BadRequest(format!(
                "{name} takes inq, nin, contain or exclude, not 'between'"
            )));
        }
    };
    let tags: Result<Vec<CategoryId>, _> = values.iter().map(|value| value.parse()).collect();
    let tags = tags.map_err(|_| ApiError::BadRequest(format!("{name} takes ids of tags")))?;
    Ok((include, tags))
}

fn unknown(name: &str) -> ApiError {
    const SHOWN: usize = 60;
    let name: String = name.chars().take(SHOWN).collect();
    ApiError::BadRequest(format!(
        "filters: there is no filter '{name}'; the filters are date, brandID, country, region, engine, device, type, keywordType, \
         domain, advertiserTag, keywordContent, keywordTag, adTitle, adDescription and position"
    ))
}

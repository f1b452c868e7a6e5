//! The part of Google's query language that Vigie uses. Whatever else is asked is refused.

use chrono::NaiveDate;

use crate::refusals::AdsRefusal;

/// Fields of each resource, as in the protos of the version.
const FIELDS: [(&str, &[&str]); 8] = [
    (
        "customer_client",
        &[
            "customer_client.client_customer",
            "customer_client.descriptive_name",
            "customer_client.manager",
            "customer_client.status",
            "customer_client.level",
            "customer_client.currency_code",
            "customer_client.time_zone",
        ],
    ),
    (
        "campaign_search_term_view",
        &[
            "segments.date",
            "campaign_search_term_view.search_term",
            "campaign.advertising_channel_type",
            "metrics.impressions",
            "metrics.clicks",
            "metrics.cost_micros",
        ],
    ),
    (
        "campaign",
        &[
            "campaign.id",
            "campaign.name",
            "campaign.status",
            "campaign.advertising_channel_type",
        ],
    ),
    (
        "campaign_criterion",
        &[
            "campaign.id",
            "campaign_criterion.location.geo_target_constant",
            "campaign_criterion.negative",
            "campaign_criterion.type",
        ],
    ),
    (
        "geo_target_constant",
        &["geo_target_constant.resource_name", "geo_target_constant.country_code"],
    ),
    (
        "shared_set",
        &[
            "shared_set.id",
            "shared_set.name",
            "shared_set.type",
            "shared_set.status",
        ],
    ),
    (
        "shared_criterion",
        &[
            "shared_criterion.resource_name",
            "shared_criterion.keyword.text",
            "shared_criterion.keyword.match_type",
            "shared_set.id",
        ],
    ),
    (
        "campaign_shared_set",
        &[
            "campaign_shared_set.resource_name",
            "campaign_shared_set.status",
            "campaign.id",
            "shared_set.id",
        ],
    ),
];

/// Values of one `IN`.
const MOST_VALUES: usize = 20_000;

/// A query that was understood.
#[derive(Debug, PartialEq, Eq)]
pub struct Query {
    pub resource: String,
    pub fields: Vec<String>,
    pub days: Option<(NaiveDate, NaiveDate)>,
    /// The values of an `IN`.
    pub texts: Option<Vec<String>>,
    /// The number of `shared_set.id = …`.
    pub list: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
}

impl Query {
    /// Reads a query; a refusal in Google's words for anything that is not understood.
    pub fn read(text: &str) -> Result<Self, AdsRefusal> {
        let tokens = tokens(text)?;
        let mut tokens = tokens.into_iter().peekable();
        let mut word = || match tokens.next() {
            Some(Token::Word(word)) => Ok(word),
            _ => Err(bad("UNEXPECTED_INPUT", "a word is missing")),
        };
        if word()? != "SELECT" {
            return Err(bad("EXPECTED_SELECT", "SELECT is missing"));
        }
        let mut fields = Vec::new();
        loop {
            let next = word()?;
            match next.as_str() {
                "FROM" => break,
                "," => {}
                _ => fields.push(next),
            }
        }
        let resource = word()?;
        let known = FIELDS.iter().find(|(name, _)| *name == resource);
        let (_, known) = known.ok_or_else(|| bad("BAD_RESOURCE_TYPE_IN_FROM_CLAUSE", "no such resource"))?;
        let unknown = |field: &str| {
            bad(
                "UNRECOGNIZED_FIELD",
                format!("Unrecognized field in the query: '{field}'."),
            )
        };
        if let Some(field) = fields.iter().find(|field| !known.contains(&field.as_str())) {
            return Err(unknown(field));
        }
        let mut query = Self {
            resource: resource.clone(),
            fields,
            days: None,
            texts: None,
            list: None,
        };
        let rest: Vec<Token> = tokens.collect();
        let mut rest = rest.as_slice();
        let mut joins = "WHERE";
        while let Some((Token::Word(join), after)) = rest.split_first() {
            if join != joins {
                return Err(bad("UNEXPECTED_INPUT", format!("unexpected {join}")));
            }
            joins = "AND";
            let [Token::Word(field), Token::Word(operator), values @ ..] = after else {
                return Err(bad("UNEXPECTED_INPUT", "half a condition"));
            };
            if !known.contains(&field.as_str()) {
                return Err(unknown(field));
            }
            rest = query.condition(field, operator, values)?;
        }
        if !rest.is_empty() {
            return Err(bad("UNEXPECTED_INPUT", "words after the query"));
        }
        Ok(query)
    }

    /// Takes a condition whose values begin `values`; returns what follows it.
    fn condition<'t>(&mut self, field: &str, operator: &str, values: &'t [Token]) -> Result<&'t [Token], AdsRefusal> {
        let open = Token::Word("(".to_owned());
        match (field, operator, values) {
            ("segments.date", "BETWEEN", [Token::Text(first), Token::Word(and), Token::Text(last), rest @ ..])
                if and == "AND" =>
            {
                let day = |text: &str| {
                    text.parse::<NaiveDate>()
                        .map_err(|_| bad("INVALID_VALUE_WITH_BETWEEN_OPERATOR", "no date"))
                };
                self.days = Some((day(first)?, day(last)?));
                Ok(rest)
            }
            (_, "IN", [first, rest @ ..]) if *first == open => {
                let close = rest.iter().position(|token| *token == Token::Word(")".to_owned()));
                let close = close.ok_or_else(|| bad("UNEXPECTED_INPUT", "a list has no end"))?;
                let texts: Vec<String> = rest[..close]
                    .iter()
                    .filter_map(|token| match token {
                        Token::Text(text) => Some(text.clone()),
                        Token::Word(_) => None,
                    })
                    .collect();
                if texts.is_empty() || texts.len() > MOST_VALUES {
                    return Err(bad("FILTER_HAS_TOO_MANY_VALUES", "a list has 1 to 20,000 values"));
                }
                self.texts = Some(texts);
                Ok(&rest[close + 1..])
            }
            ("shared_set.id", "=", [Token::Word(id), rest @ ..]) => {
                let id = id.parse().map_err(|_| bad("BAD_NUMBER", "no number"))?;
                self.list = Some(id);
                Ok(rest)
            }
            ("customer_client.level", "<=", [Token::Word(_), rest @ ..]) => Ok(rest),
            _ => Err(bad(
                "UNEXPECTED_INPUT",
                format!("a condition on {field} that is not understood"),
            )),
        }
    }
}

/// The words and texts of a query.
fn tokens(text: &str) -> Result<Vec<Token>, AdsRefusal> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end;
        match first {
            '\'' | '"' => {
                let inner = &rest[1..];
                let close = inner
                    .find(first)
                    .ok_or_else(|| bad("UNEXPECTED_INPUT", "a text has no end"))?;
                found.push(Token::Text(inner[..close].to_owned()));
                end = close + 2;
            }
            '(' | ')' | ',' => {
                found.push(Token::Word(first.to_string()));
                end = 1;
            }
            _ => {
                let stop = rest.find(|letter: char| letter.is_whitespace() || "(),'\"".contains(letter));
                end = stop.unwrap_or(rest.len());
                found.push(Token::Word(rest[..end].to_owned()));
            }
        }
        rest = rest[end..].trim_start();
    }
    Ok(found)
}

fn bad(code: &'static str, message: impl Into<String>) -> AdsRefusal {
    AdsRefusal::bad("queryError", code, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_has_known_fields_and_conditions() {
        let query = Query::read(
            "SELECT segments.date, metrics.clicks FROM campaign_search_term_view WHERE segments.date BETWEEN '2026-09-01' AND '2026-09-30' \
             AND campaign_search_term_view.search_term IN (\"l'eau\", \"b\")",
        )
        .unwrap();
        assert_eq!(query.texts.unwrap(), ["l'eau", "b"]);
        assert!(query.days.is_some());
        for (wrong, code) in [
            (
                "SELECT metrics.cost FROM campaign_search_term_view",
                "UNRECOGNIZED_FIELD",
            ),
            (
                "SELECT campaign.id FROM keyword_view",
                "BAD_RESOURCE_TYPE_IN_FROM_CLAUSE",
            ),
            ("UPDATE campaign", "EXPECTED_SELECT"),
            (
                "SELECT campaign.id FROM campaign WHERE campaign.id IN (\"a",
                "UNEXPECTED_INPUT",
            ),
            (
                "SELECT campaign.id FROM campaign ORDER BY campaign.id",
                "UNEXPECTED_INPUT",
            ),
        ] {
            assert_eq!(Query::read(wrong).unwrap_err().code, code, "{wrong}");
        }
    }
}

//! What can be wrong with a filter, in LoopBack's words where it has words for it.

use serde_json::Value as Json;
use thiserror::Error;

/// A filter that cannot be answered.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FilterError {
    /// The `where` is no object.
    #[error("The where clause {0} is not an object")]
    WhereNotObject(Json),
    /// The operand of an operator has the wrong form.
    #[error("The {property} property has invalid clause {clause}: {reason}")]
    Clause {
        /// The property asked for.
        property: String,
        /// What was asked.
        clause: Json,
        /// What is wrong with it.
        reason: String,
    },
    /// `and` or `or` without a list.
    #[error(
        "The {operator} operator has invalid clauses {clauses}: Value is not an array or object with sequential numeric indices"
    )]
    Clauses {
        /// Which of the two.
        operator: &'static str,
        /// What was given.
        clauses: Json,
    },
    /// An operator of another query language.
    #[error("Operators \"{operator}\" are not allowed in query")]
    Operator {
        /// The operator as given.
        operator: String,
        /// The whole condition.
        condition: Json,
    },
    /// Nested too deep.
    #[error("The query object exceeds maximum depth 12")]
    TooDeep,
    /// Too many conditions or relations.
    #[error("The query has more than 200 conditions and relations; ask for less at once")]
    TooManyNodes,
    /// A list is too long.
    #[error("A list of the query has more than 1000 values; ask for less at once")]
    ListTooLong,
    /// The limit is no count.
    #[error("The limit parameter {0} is not valid")]
    Limit(Json),
    /// The rows to leave out are no count.
    #[error("The offset/skip parameter {0} is not valid")]
    Skip(Json),
    /// Neither ASC nor DESC.
    #[error("The order \"{0}\" has invalid direction")]
    Direction(String),
    /// The order is neither a text nor a list of texts.
    #[error("The order {0} is not valid")]
    Order(Json),
    /// A field that is never shown.
    #[error("The property {0} cannot be read, filtered, ordered or selected")]
    Hidden(String),
    /// A condition of a change names what the model does not have.
    #[error("There is no property {0}; a change only takes conditions on known properties")]
    UnknownProperty(String),
    /// A regular expression that cannot be used.
    #[error("The regular expression {pattern} cannot be used: {reason}")]
    Pattern {
        /// The expression as given.
        pattern: String,
        /// Why it is refused.
        reason: String,
    },
    /// No relation of this name.
    #[error("Relation \"{relation}\" is not defined for {model} model")]
    Relation {
        /// The name as given.
        relation: String,
        /// The model that lacks it.
        model: &'static str,
    },
    /// A form of `include` that nobody knows.
    #[error("The include {0} is not valid")]
    Include(Json),
    /// The filter is no object.
    #[error("Value is not an object.")]
    NotObject,
}

impl FilterError {
    /// The code that LoopBack gives the error; `None` where it gives none.
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::Operator { .. } => Some("OPERATOR_NOT_ALLOWED_IN_QUERY"),
            Self::TooDeep => Some("QUERY_OBJECT_TOO_DEEP"),
            _ => None,
        }
    }
}

//! The `where` of a filter as a tree.

use serde_json::{Map, Value as Json, json};

use super::conversion::ValueError;
use super::filter_error::FilterError;
use super::model::{Field, Kind, Model, Relation};
use super::pattern::{Like, Pattern};
use super::value::Value;

/// How deep conditions may nest.
pub(super) const MAX_DEPTH: usize = 12;
/// How many conditions and relations a filter may have.
pub(super) const MAX_NODES: usize = 200;
/// How many conditions one on joined rows counts as: it is looked up before the others.
const NODES_OF_JOINED: usize = 20;
/// How long a list may be.
pub(super) const MAX_LIST: usize = 1_000;

const NOT_A_LIST: &str = "Error: Value is not an array or object with sequential numeric indices";

/// What a condition is for. A read ignores properties that the model does not have, as clients of LoopBack expect; a change refuses them,
/// since it would change more than was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Which rows are read.
    Read,
    /// To change or delete.
    Change,
}

/// A condition on the rows of one model, as a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All of them; every row when there is none.
    All(Vec<Condition>),
    /// At least one of them.
    Any(Vec<Condition>),
    /// No row meets it.
    Never,
    /// A test of a field, or of a value inside a JSON field.
    Test {
        /// The field that is tested.
        field: &'static Field,
        /// Where inside its JSON; empty for the field itself.
        path: Vec<String>,
        /// What is tested.
        test: ValueTest,
    },
    /// The row is joined with one of these, or with none of them.
    Joined {
        /// How the rows are joined: through a third table.
        relation: &'static Relation,
        /// The ids of the other rows.
        ids: Vec<i64>,
        /// Whether it must be joined with one, not with none.
        is_one: bool,
    },
}

/// A test of a value. A field without a value fails every test but `IsNull`.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueTest {
    /// Has no value.
    IsNull,
    /// Has a value.
    IsSomething,
    /// Equals this value.
    Equals(Value),
    /// Is something else.
    Differs(Value),
    /// Is greater than this.
    Greater(Value),
    /// Is greater or equal.
    AtLeast(Value),
    /// Is less than this.
    Less(Value),
    /// Is less or equal.
    AtMost(Value),
    /// Is between these, both included.
    Between(Value, Value),
    /// Is one of these.
    OneOf(Vec<Value>),
    /// Is something, and none of these.
    NoneOf(Vec<Value>),
    /// Looks like this.
    Like(Like),
    /// Matches this regular expression.
    Matches(Pattern),
}

impl Condition {
    /// A condition that every row meets.
    pub const fn everything() -> Self {
        Self::All(Vec::new())
    }

    /// The condition that a field (not a place inside its JSON) passes a test.
    pub const fn test(field: &'static Field, test: ValueTest) -> Self {
        Self::Test {
            field,
            path: Vec::new(),
            test,
        }
    }

    /// The condition that both hold. One that every row meets is left out.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::All(list), other) | (other, Self::All(list)) if list.is_empty() => other,
            (one, other) => Self::All(vec![one, other]),
        }
    }

    /// Whether any part of it is on joined rows, so that a link that is made or ended may change what it says of a row.
    pub fn is_on_links(&self) -> bool {
        match self {
            Self::All(list) | Self::Any(list) => list.iter().any(Self::is_on_links),
            Self::Joined { .. } => true,
            Self::Never | Self::Test { .. } => false,
        }
    }

    /// Reads a `where`, an object; `null` means every row. In a read, unknown properties are ignored and no row meets a test with an unknown
    /// operator; a change refuses both. Refused besides: fields that clients may not read, values that do not fit, operators that begin with `$`, and
    /// more than `MAX_NODES` conditions, `MAX_DEPTH` levels or `MAX_LIST` values in a list.
    pub fn parse(model: &Model, json: &Json, usage: Usage) -> Result<Self, FilterError> {
        let condition = match json {
            Json::Null => Self::everything(),
            Json::Object(map) => ConditionParser {
                model,
                usage,
                whole: json,
                nodes: 0,
            }
            .object(map, 1)?,
            other => return Err(FilterError::WhereNotObject(other.clone())),
        };
        // One property may have several tests.
        if condition.nodes() > MAX_NODES {
            return Err(FilterError::TooManyNodes);
        }
        Ok(condition)
    }

    /// How many conditions there are in it, counting itself; one on joined rows counts as [`NODES_OF_JOINED`].
    pub(super) fn nodes(&self) -> usize {
        match self {
            Self::All(list) | Self::Any(list) => 1 + list.iter().map(Self::nodes).sum::<usize>(),
            Self::Never | Self::Test { .. } => 1,
            Self::Joined { .. } => NODES_OF_JOINED,
        }
    }
}

/// The state of reading one `where`; `nodes` counts the properties read so far.
struct ConditionParser<'a> {
    model: &'a Model,
    usage: Usage,
    whole: &'a Json,
    nodes: usize,
}

impl ConditionParser<'_> {
    /// Reads one object of a `where`, whose properties must all hold; every row meets an empty one. An empty `and` or `or` is ignored. Counts against
    /// `MAX_NODES` and `MAX_DEPTH`.
    fn object(&mut self, map: &Map<String, Json>, depth: usize) -> Result<Condition, FilterError> {
        if depth > MAX_DEPTH {
            return Err(FilterError::TooDeep);
        }
        let mut all = Vec::new();
        for (key, value) in map {
            self.nodes += 1;
            if self.nodes > MAX_NODES {
                return Err(FilterError::TooManyNodes);
            }
            match key.as_str() {
                "and" => {
                    let clauses = self.clauses("and", value, depth)?;
                    if !clauses.is_empty() {
                        all.push(Condition::All(clauses));
                    }
                }
                "or" => {
                    let clauses = self.clauses("or", value, depth)?;
                    if !clauses.is_empty() {
                        all.push(Condition::Any(clauses));
                    }
                }
                _ => all.extend(self.property(key, value, depth)?),
            }
        }
        Ok(match <[Condition; 1]>::try_from(all) {
            Ok([only]) => only,
            Err(all) => Condition::All(all),
        })
    }

    /// Reads the list of an `and` or `or`: one condition for each item, which must be an object. Anything but a list of at most `MAX_LIST` items is
    /// refused; an object with the keys 0, 1, 2 and so on is a list.
    fn clauses(&mut self, operator: &'static str, value: &Json, depth: usize) -> Result<Vec<Condition>, FilterError> {
        let Some(items) = items(value) else {
            return Err(FilterError::Clauses {
                operator,
                clauses: value.clone(),
            });
        };
        if items.len() > MAX_LIST {
            return Err(FilterError::ListTooLong);
        }
        let mut clauses = Vec::with_capacity(items.len());
        for item in items {
            let Json::Object(map) = item else {
                return Err(FilterError::WhereNotObject(item.clone()));
            };
            clauses.push(self.object(map, depth + 1)?);
        }
        Ok(clauses)
    }

    /// The error for an operator of another query language.
    fn foreign_operator(&self, operator: &str) -> FilterError {
        FilterError::Operator {
            operator: operator.to_owned(),
            condition: self.whole.clone(),
        }
    }

    /// Reads the tests of one property, such as `name` or, inside JSON, `options.color`; all must hold, and a list means any of its values unless the
    /// field is JSON or a list. A read gives `None` for an unknown property, and a condition that no row meets for an unknown operator; a change
    /// refuses both. Hidden fields and operators with `$` are always refused.
    fn property(&self, key: &str, value: &Json, depth: usize) -> Result<Option<Condition>, FilterError> {
        if too_deep(value, depth) {
            return Err(FilterError::TooDeep);
        }
        if let Some(relation) = self.model.relation(key).filter(|relation| relation.in_where) {
            return joined_condition(relation, value).map(Some);
        }
        let (name, path) = if self.model.field(key).is_some() {
            (key, Vec::new())
        } else {
            let mut parts = key.split('.');
            (parts.next().unwrap_or_default(), parts.map(str::to_owned).collect())
        };
        let field = self
            .model
            .field(name)
            .filter(|field| path.is_empty() || matches!(field.kind, Kind::Json | Kind::List));
        let Some(field) = field else {
            if let Json::Object(operators) = value
                && let Some(operator) = operators.keys().find(|operator| operator.starts_with('$'))
            {
                return Err(self.foreign_operator(operator));
            }
            return match self.usage {
                Usage::Read => Ok(None),
                Usage::Change => Err(FilterError::UnknownProperty(key.to_owned())),
            };
        };
        if !field.is_readable() {
            return Err(FilterError::Hidden(key.to_owned()));
        }
        if field.column.is_empty() {
            return match self.usage {
                Usage::Read => Ok(None),
                Usage::Change => Err(FilterError::UnknownProperty(key.to_owned())),
            };
        }
        let subject = FieldPath {
            field,
            path: &path,
            key,
        };
        let tests = match value {
            Json::Object(operators) if !operators.is_empty() => {
                let mut tests = Vec::new();
                for (operator, operand) in operators {
                    if operator.starts_with('$') {
                        return Err(self.foreign_operator(operator));
                    }
                    match subject.test_of_operator(operator, operand)? {
                        Some(test) => tests.push(test),
                        None if self.usage == Usage::Change => {
                            return Err(subject.refused(operator, operand, "there is no such operator"));
                        }
                        None => return Ok(Some(Condition::Never)),
                    }
                }
                tests
            }
            Json::Array(_) if path.is_empty() && !matches!(field.kind, Kind::Json | Kind::List) => {
                subject.test_of_operator("inq", value)?.into_iter().collect()
            }
            value => vec![subject.equality_test(value)?],
        };
        let mut conditions: Vec<_> = tests
            .into_iter()
            .filter_map(|test| condition_of_test(field, &path, test))
            .collect();
        Ok(Some(if conditions.len() == 1 {
            conditions.remove(0)
        } else {
            Condition::All(conditions)
        }))
    }
}

/// The condition on what a row is joined with: an id, or `inq` or `nin` with a list of ids. Anything else is refused.
fn joined_condition(relation: &'static Relation, value: &Json) -> Result<Condition, FilterError> {
    let refused = || FilterError::Clause {
        property: relation.name.to_owned(),
        clause: value.clone(),
        reason: "only inq and nin with a list of ids are known for it".to_owned(),
    };
    let one = [value];
    let (is_one, given) = match value {
        Json::Object(operators) if operators.len() == 1 => match (operators.get("inq"), operators.get("nin")) {
            (Some(list), _) => (true, items(list).ok_or_else(refused)?),
            (_, Some(list)) => (false, items(list).ok_or_else(refused)?),
            _ => return Err(refused()),
        },
        _ => (true, one.to_vec()),
    };
    if given.len() > MAX_LIST {
        return Err(FilterError::ListTooLong);
    }
    // The brackets of a query make texts.
    let id = |given: &Json| given.as_i64().or_else(|| given.as_str()?.parse().ok());
    let ids: Option<Vec<i64>> = given.into_iter().map(id).collect();
    let ids = ids.ok_or_else(refused)?;
    Ok(Condition::Joined { relation, ids, is_one })
}

/// The condition that a field, or the place `path` inside it, passes a test. `None` for an exclusion of no values, which every row meets;
/// [`Condition::Never`] for one of no values.
fn condition_of_test(field: &'static Field, path: &[String], test: ValueTest) -> Option<Condition> {
    match test {
        ValueTest::NoneOf(values) if values.is_empty() => None,
        ValueTest::OneOf(values) if values.is_empty() => Some(Condition::Never),
        test => Some(Condition::Test {
            field,
            path: path.to_vec(),
            test,
        }),
    }
}

/// A field, or a place inside its JSON, as a client named it.
struct FieldPath<'a> {
    field: &'static Field,
    path: &'a [String],
    key: &'a str,
}

impl FieldPath<'_> {
    /// The test that an operator and its operand mean; `None` where there is no such operator. Operands that do not fit are refused.
    fn test_of_operator(&self, operator: &str, operand: &Json) -> Result<Option<ValueTest>, FilterError> {
        Ok(Some(match operator {
            "eq" => self.equality_test(operand)?,
            "neq" if operand.is_null() => ValueTest::IsSomething,
            "neq" => ValueTest::Differs(self.operand(operator, operand)?),
            "gt" => ValueTest::Greater(self.operand(operator, operand)?),
            "gte" => ValueTest::AtLeast(self.operand(operator, operand)?),
            "lt" => ValueTest::Less(self.operand(operator, operand)?),
            "lte" => ValueTest::AtMost(self.operand(operator, operand)?),
            "between" => return self.range_test(operand).map(Some),
            "inq" => ValueTest::OneOf(self.list_operand(operator, operand)?),
            "nin" => ValueTest::NoneOf(self.list_operand(operator, operand)?),
            "like" => self.like_test(operator, operand, false, false)?,
            "nlike" => self.like_test(operator, operand, false, true)?,
            "ilike" => self.like_test(operator, operand, true, false)?,
            "nilike" => self.like_test(operator, operand, true, true)?,
            "regexp" => ValueTest::Matches(Pattern::parse(&self.search_text(operator, operand)?)?),
            _ => return Ok(None),
        }))
    }

    /// The test for equality with the operand; `null` tests for no value.
    fn equality_test(&self, operand: &Json) -> Result<ValueTest, FilterError> {
        Ok(if operand.is_null() {
            ValueTest::IsNull
        } else {
            ValueTest::Equals(self.operand("eq", operand)?)
        })
    }

    /// The test for a range, both ends included. The operand must be a list of exactly two values that suit the field; which is greater is not
    /// checked.
    fn range_test(&self, operand: &Json) -> Result<ValueTest, FilterError> {
        let items = items(operand).ok_or_else(|| self.refused("between", operand, NOT_A_LIST))?;
        let [low, high] = items[..] else {
            let reason = format!("Expected precisely 2 values, received {}", items.len());
            return Err(self.refused("between", operand, &reason));
        };
        Ok(ValueTest::Between(
            self.operand("between", low)?,
            self.operand("between", high)?,
        ))
    }

    /// The values of a list operand, without its nulls; empty for a list of nulls only. Anything but a list, a list of more than `MAX_LIST` items
    /// (nulls counted) and an item that does not suit the field are refused.
    fn list_operand(&self, operator: &str, operand: &Json) -> Result<Vec<Value>, FilterError> {
        let items = items(operand).ok_or_else(|| self.refused(operator, operand, NOT_A_LIST))?;
        if items.len() > MAX_LIST {
            return Err(FilterError::ListTooLong);
        }
        let some = items.into_iter().filter(|item| !item.is_null());
        some.map(|item| self.operand(operator, item)).collect()
    }

    /// The operand as a value of the field, or as JSON for a place inside a JSON field. One that the type of the field cannot be compared
    /// with is refused.
    fn operand(&self, operator: &str, operand: &Json) -> Result<Value, FilterError> {
        if !self.path.is_empty() {
            return Ok(Value::Json(operand.clone()));
        }
        Value::compared(self.field, operand).map_err(|unfit| self.unfit(operator, operand, unfit))
    }

    /// The test for a `LIKE` pattern, given as a text or a number.
    fn like_test(
        &self,
        operator: &str,
        operand: &Json,
        folds_case: bool,
        negated: bool,
    ) -> Result<ValueTest, FilterError> {
        Ok(ValueTest::Like(Like::new(
            &self.search_text(operator, operand)?,
            folds_case,
            negated,
        )))
    }

    /// The operand of a search in texts: a text, or a number as text; anything else is refused. So is any field but texts and places inside JSON.
    fn search_text(&self, operator: &str, operand: &Json) -> Result<String, FilterError> {
        if self.path.is_empty() && self.field.kind != Kind::Text {
            return Err(self.refused(operator, operand, "only texts can be searched so"));
        }
        match operand {
            Json::String(text) => Ok(text.clone()),
            Json::Number(number) => Ok(number.to_string()),
            _ => Err(self.unfit(operator, operand, ValueError::Text)),
        }
    }

    /// The error for an operand that is no value of the field.
    fn unfit(&self, operator: &str, operand: &Json, unfit: ValueError) -> FilterError {
        self.refused(operator, operand, &format!("the value {unfit}"))
    }

    /// The error for a clause, in the words of LoopBack, with the reason at its end.
    fn refused(&self, operator: &str, operand: &Json, reason: &str) -> FilterError {
        FilterError::Clause {
            property: self.key.to_owned(),
            clause: json!({ operator: operand }),
            reason: reason.to_owned(),
        }
    }
}

/// The items of a list, or of an object whose keys are 0, 1, 2 and so on, as brackets make it; `None` for any other JSON, and for an empty object.
fn items(json: &Json) -> Option<Vec<&Json>> {
    match json {
        Json::Array(items) => Some(items.iter().collect()),
        Json::Object(map) if !map.is_empty() => {
            let sequential = map.keys().enumerate().all(|(index, key)| key == &index.to_string());
            sequential.then(|| map.values().collect())
        }
        _ => None,
    }
}

/// Whether JSON that begins at `depth` has a list or object beyond `MAX_DEPTH`. Scalars there are fine.
fn too_deep(json: &Json, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return !matches!(json, Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_));
    }
    match json {
        Json::Array(items) => items.iter().any(|item| too_deep(item, depth + 1)),
        Json::Object(map) => map.values().any(|value| too_deep(value, depth + 1)),
        _ => false,
    }
}

//! A statement from a file, with its placeholders filled.

use std::fmt;

use serde::Serialize;

/// Value of a server-side parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Flag(bool),
    Integer(i64),
    Unsigned(u64),
    Integers(Vec<i64>),
    Unsigneds(Vec<u64>),
    /// Days or weeks and the builds that count.
    Builds(Vec<(u16, u64)>),
    Text(String),
    Texts(Vec<String>),
    /// Brands, their official domains, and whether these include the hosts below them.
    Officials(Vec<(u32, String, bool)>),
    /// Ads and seconds since 1970.
    Instants(Vec<(u64, u32)>),
}

/// SQL text and the parameters it names.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<(String, Value)>,
}

impl Statement {
    /// A statement of this text, whose placeholders `${name}` and parameters `{name:Type}` are still to be filled.
    pub(crate) fn new(file: &str) -> Self {
        Self {
            sql: file.to_owned(),
            parameters: Vec::new(),
        }
    }

    /// Fills `${placeholder}` with a fragment. Fragments are constants of this crate; text of callers goes into parameters.
    pub(crate) fn fill(mut self, placeholder: &str, fragment: &str) -> Self {
        self.sql = self.sql.replace(&format!("${{{placeholder}}}"), fragment);
        self
    }

    /// Sets the parameter of this name.
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        self.parameters.push((name.to_owned(), value));
        self
    }

    /// Fills `${where}` and adds the parameters of the conditions.
    pub(crate) fn restricted(self, conditions: Conditions) -> Self {
        let mut statement = self.fill("where", &conditions.sql);
        statement.parameters.extend(conditions.parameters);
        statement
    }
}

/// The whole query: equal texts are the same query.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.sql, self.parameters)
    }
}

/// Conditions that narrow a query, each a fixed fragment with its parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    sql: String,
    parameters: Vec<(String, Value)>,
}

impl Conditions {
    /// Adds `AND (comparison)`, in which `#` is replaced by the column and `$` by the name of the parameter with `value`.
    pub(crate) fn push(&mut self, column: &'static str, comparison: &'static str, value: Value) {
        let test = self.test(column, comparison, value);
        self.add(&test);
    }

    /// Adds `AND (first OR second)`: the comparison, as in [`Self::push`], on each of two columns with its value.
    pub(crate) fn push_either(&mut self, comparison: &'static str, columns: [(&'static str, Value); 2]) {
        let tests = columns.map(|(column, value)| self.test(column, comparison, value));
        self.add(&tests.join(" OR "));
    }

    /// Adds a condition that any of some tests holds or, without `include`, that none does. Each is a comparison as in [`Self::push`], with column
    /// and value. Without tests, nothing meets the first and everything the second.
    pub(crate) fn push_any(&mut self, include: bool, tests: Vec<(&'static str, String, Value)>) {
        let tests: Vec<String> = tests
            .into_iter()
            .map(|(comparison, column, value)| self.test(&column, comparison, value))
            .collect();
        match (include, tests.is_empty()) {
            (true, true) => self.push_nothing(),
            (false, true) => {}
            (true, false) => self.add(&tests.join(" OR ")),
            (false, false) => self.add(&format!("NOT ({})", tests.join(" OR "))),
        }
    }

    /// Returns, as SQL that begins with `AND`, the test that a result was seen in one of these spans of seconds since 1970, both ends included, and
    /// adds only its parameters. Without spans nothing meets it. The day is tested too, since it is in the sort key.
    pub(crate) fn within_any(&mut self, spans: &[(i64, i64)]) -> String {
        let mut tests = Vec::with_capacity(spans.len());
        for (from, to) in spans {
            let (from, to) = (
                self.parameter(Value::Integer(*from)),
                self.parameter(Value::Integer(*to)),
            );
            let instant = |name: &str| format!("toDateTime({{{name}:UInt32}}, 'UTC')");
            let (from, to) = (instant(&from), instant(&to));
            tests.push(format!(
                "(day BETWEEN toDate({from}) AND toDate({to}) AND seen_at BETWEEN {from} AND {to})"
            ));
        }
        if tests.is_empty() {
            tests.push("0".to_owned());
        }
        format!("\n    AND ({})", tests.join("\n        OR "))
    }

    /// Returns the SQL that `add` would append, which begins with `AND`; of it, only the parameters are added.
    pub(crate) fn fragment(&mut self, add: impl FnOnce(&mut Self)) -> String {
        let narrowed = self.sql.len();
        add(self);
        self.sql.split_off(narrowed)
    }

    /// Adds `AND (comparison)`, in which `$1` and `$2` are replaced by the names of the parameters with the values.
    pub(crate) fn push_pair(&mut self, comparison: &'static str, values: [Value; 2]) {
        let mut test = comparison.to_owned();
        for (placeholder, value) in ["$1", "$2"].into_iter().zip(values) {
            let name = self.parameter(value);
            test = test.replace(placeholder, &name);
        }
        self.add(&test);
    }

    /// Adds a condition that no row meets.
    pub(crate) fn push_nothing(&mut self) {
        self.add("0");
    }

    /// The comparison with its column and the name of a new parameter filled in.
    fn test(&mut self, column: &str, comparison: &str, value: Value) -> String {
        let name = self.parameter(value);
        comparison.replace('#', column).replace('$', &name)
    }

    /// Adds a parameter and returns its name.
    fn parameter(&mut self, value: Value) -> String {
        let name = format!("p{}", self.parameters.len());
        self.parameters.push((name.clone(), value));
        name
    }

    /// Appends `AND (test)`.
    fn add(&mut self, test: &str) {
        self.sql.push_str("\n    AND (");
        self.sql.push_str(test);
        self.sql.push(')');
    }
}

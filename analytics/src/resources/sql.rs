//! A statement that grows.

use crate::statement::{Statement, Value as Parameter};

/// A statement that is being written: text of this crate, and the parameters it names.
#[derive(Default)]
pub(super) struct Sql {
    text: String,
    parameters: Vec<(String, Parameter)>,
}

impl Sql {
    /// Appends text, which must never come from a client.
    pub(super) fn push(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends a parameter with this value, of the ClickHouse type `kind`.
    pub(super) fn push_bind(&mut self, kind: &str, value: Parameter) -> &mut Self {
        let name = self.parameter(value);
        self.push(&format!("{{{name}:{kind}}}"))
    }

    /// Adds a parameter and returns its name, for text that is appended later.
    pub(super) fn parameter(&mut self, value: Parameter) -> String {
        let name = format!("p{}", self.parameters.len());
        self.parameters.push((name.clone(), value));
        name
    }

    /// The text as a statement with its parameters.
    pub(super) fn statement(self) -> Statement {
        let statement = Statement::new(&self.text);
        self.parameters
            .into_iter()
            .fold(statement, |statement, (name, value)| statement.with(&name, value))
    }
}

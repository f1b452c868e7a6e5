//! How the tables lie: on one node, or spread over a cluster.

use crate::statement::Statement;

/// Fills the placeholders that differ between a single node and a cluster.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    database: String,
    cluster: Option<String>,
}

impl Layout {
    pub(crate) fn new(database: String, cluster: Option<String>) -> Self {
        Self { database, cluster }
    }

    /// The name of the database, unquoted.
    pub(crate) fn database(&self) -> &str {
        &self.database
    }

    pub(crate) fn is_cluster(&self) -> bool {
        self.cluster.is_some()
    }

    /// Fills the placeholders that depend on the layout: `${local}` before the name of a table that holds rows, `${on_cluster}`, `${cluster}`, the
    /// engines and their settings. On a cluster, rows are in replicated tables `local_…` under Distributed tables of the plain names.
    pub(crate) fn fill(&self, statement: Statement) -> Statement {
        match &self.cluster {
            None => statement
                .fill("local", "")
                .fill("on_cluster", "")
                .fill("MergeTree", "MergeTree")
                .fill("ReplacingMergeTree", "ReplacingMergeTree")
                .fill("ReplacingMergeTree:version", "ReplacingMergeTree(version)")
                .fill("deduplication_window", "non_replicated_deduplication_window"),
            Some(cluster) => {
                let path = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'";
                let name = identifier(cluster);
                statement
                    .fill("local", "local_")
                    .fill("on_cluster", &format!("ON CLUSTER {name}"))
                    .fill("cluster", &name)
                    .fill("MergeTree", &format!("ReplicatedMergeTree({path})"))
                    .fill("ReplacingMergeTree", &format!("ReplicatedReplacingMergeTree({path})"))
                    .fill(
                        "ReplacingMergeTree:version",
                        &format!("ReplicatedReplacingMergeTree({path}, version)"),
                    )
                    .fill("deduplication_window", "replicated_deduplication_window")
            }
        }
    }
}

/// A name from the settings, quoted for SQL.
pub(crate) fn identifier(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// All statements of a folder, each with its file, as a cluster gets them, without their comments.
    fn statements_of_cluster(folder: &str) -> Vec<(PathBuf, String)> {
        let layout = Layout::new("vigie".to_owned(), Some("two`shards".to_owned()));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../sql/clickhouse")
            .join(folder);
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut statements = Vec::new();
        for file in files.filter(|file| file.is_file()) {
            let text = fs::read_to_string(&file).unwrap();
            let filled = layout.fill(Statement::new(&text).fill("table", "ad_days").fill("with_nothing", ""));
            let lines = filled.sql.lines().filter(|line| !line.trim_start().starts_with("--"));
            let bare: String = lines.flat_map(|line| [line, "\n"]).collect();
            let each = bare
                .split(";\n")
                .map(str::trim)
                .filter(|statement| !statement.is_empty());
            statements.extend(each.map(|statement| (file.clone(), statement.to_owned())));
        }
        statements
    }

    #[tokio::test]
    async fn the_engine_can_read_every_statement_for_a_cluster() {
        let engine = testkit::ClickHouse::empty().await;
        let mut read = 0;
        for folder in ["migrations", "migrations/cluster", "queries"] {
            for (file, statement) in statements_of_cluster(folder) {
                // What else is filled does not depend on the layout.
                if statement.contains("${") {
                    continue;
                }
                let question = engine.plain().query("SELECT formatQuery({statement:String})");
                question
                    .param("statement", &statement)
                    .fetch_one::<String>()
                    .await
                    .unwrap_or_else(|error| panic!("{}: {error}\n{statement}", file.display()));
                read += 1;
            }
        }
        assert!(read > 90, "{read}");
    }

    #[test]
    fn what_changes_tables_reaches_every_node() {
        for (file, statement) in statements_of_cluster("queries") {
            let is_for_one = ["SELECT", "WITH", "INSERT"]
                .iter()
                .any(|word| statement.starts_with(word));
            assert!(is_for_one || statement.contains("ON CLUSTER"), "{}", file.display());
        }
    }
}

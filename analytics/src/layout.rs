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

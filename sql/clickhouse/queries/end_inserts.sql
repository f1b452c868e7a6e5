-- The embedded engine knows a query by its log comment.
KILL QUERY ${on_cluster}
WHERE startsWith(query_id, {prefix:String}) OR startsWith(Settings['log_comment'], {prefix:String})
SYNC

//! Rows as the JSON that clients read, and the tables they come from.

use vocabulary::Scope;
use vocabulary::resources::{Field, Fields, Kind, Link, Model, Relation};

use super::links::push_seen_link;
use super::{ReachedFrom, Sql};

/// ISO 8601 with milliseconds, in UTC.
const DATE_FORM: &str = r#"'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'"#;

/// Appends the expression that makes a JSON object of the row aliased `t`: those of `fields` that clients may read, under the names that clients use.
pub(super) fn push_json(sql: &mut Sql, model: &Model, fields: &Fields) {
    sql.push("json_build_object(");
    let shown = model
        .fields
        .iter()
        .filter(|field| field.is_readable() && fields.contain(field.name));
    for (place, field) in shown.enumerate() {
        if place > 0 {
            sql.push(", ");
        }
        sql.push("'").push(field.name).push("', ");
        push_field(sql, field);
    }
    sql.push(")");
}

/// Appends the value of a field as clients get it: dates as ISO 8601 in UTC, digests as hex. A field without a column is the history of an
/// action: a list, oldest first, null if empty.
fn push_field(sql: &mut Sql, field: &Field) {
    match field.kind {
        // The only field whose value is rows of another table.
        _ if field.column.is_empty() => {
            sql.push("(select json_agg(json_build_object('ID', coalesce(h.outside_id, h.id::text), 'status', h.status, 'date', to_char(h.at, ")
                .push(DATE_FORM)
                .push("), 'previousDate', h.previous_dates) order by h.at, h.id) from action_history h where h.action_id = t.id)");
        }
        Kind::Date => {
            sql.push("to_char(t.\"")
                .push(field.column)
                .push("\", ")
                .push(DATE_FORM)
                .push(")");
        }
        Kind::Digest => {
            sql.push("encode(t.\"").push(field.column).push("\", 'hex')");
        }
        _ => {
            sql.push("t.\"").push(field.column).push("\"");
        }
    }
}

/// Appends the id, as text, of the row that `t` is reached from; that of `t` for a relation that points at one row, null from anywhere. The
/// tables are those of [`push_from`].
pub(super) fn push_origin(sql: &mut Sql, model: &Model, within: ReachedFrom<'_>) {
    match within {
        ReachedFrom::Anywhere => sql.push("null::text"),
        ReachedFrom::Related(relation, _) => match relation.link {
            Link::BelongsTo { .. } => sql.push("t.id::text"),
            Link::HasMany { key } => sql.push("t.\"").push(column_of(model, key)).push("\"::text"),
            Link::Through { join, own, .. } => sql.push("j.\"").push(join.key(own).column).push("\"::text"),
            Link::References { .. } => sql.push("o.id::text"),
        },
    };
}

/// Appends the model's table as the scope sees it: to company users the fields for staff are empty.
pub(super) fn push_table(sql: &mut Sql, scope: &Scope, model: &Model) {
    if hidden_columns(scope, model).is_empty() {
        sql.push(model.table);
        return;
    }
    sql.push("(select ");
    let columns = model.fields.iter().filter(|field| !field.column.is_empty());
    for (place, field) in columns.enumerate() {
        sql.push(if place > 0 { ", " } else { "" });
        let column = field.column;
        if field.staff_only {
            sql.push(format!("case when false then \"{column}\" end as \"{column}\""));
        } else {
            sql.push(format!("\"{column}\""));
        }
    }
    sql.push(" from ").push(model.table).push(")");
}

/// The columns of the fields that the scope finds empty.
pub(super) fn hidden_columns(scope: &Scope, model: &Model) -> Vec<&'static str> {
    let hidden = model
        .fields
        .iter()
        .filter(|field| field.staff_only && !scope.is_everything());
    hidden.map(|field| field.column).collect()
}

/// Appends the model's table as `t`. Where `within` reaches it through a join table, that is joined as `j`; where through a column of user accounts,
/// they are joined as `o`; else nothing is joined. Of tags, only the links that the scope sees are joined, each once. The ids of `within` are
/// compared by [`push_reached`] only.
pub(super) fn push_from(sql: &mut Sql, scope: &Scope, model: &Model, within: ReachedFrom<'_>) {
    push_table(sql, scope, model);
    sql.push(" t");
    if let ReachedFrom::Related(relation, _) = within {
        match relation.link {
            Link::BelongsTo { .. } | Link::HasMany { .. } => {}
            Link::Through { join, own, other } => {
                sql.push(" join ");
                if join.labels.is_some() {
                    // Several may have put the same tag on the same row.
                    sql.push("(select distinct \"")
                        .push(join.key(own).column)
                        .push("\", \"")
                        .push(join.key(other).column)
                        .push("\" from ")
                        .push(join.table)
                        .push(" j where ");
                    push_seen_link(sql, join, scope);
                    sql.push(")");
                } else {
                    sql.push(join.table);
                }
                sql.push(" j on j.\"").push(join.key(other).column).push("\" = t.id");
            }
            Link::References { column } => {
                sql.push(" join user_account o on t.id = any(o.").push(column).push(")");
            }
        }
    }
}

/// Appends the condition that `t` is reached from the rows of `within`, `true` from anywhere; the tables are those of [`push_from`].
pub(super) fn push_reached(sql: &mut Sql, model: &Model, within: ReachedFrom<'_>) {
    let ReachedFrom::Related(relation, ids) = within else {
        sql.push("true");
        return;
    };
    match relation.link {
        Link::BelongsTo { .. } => push_id_among(sql, "t.id", model.id(), ids),
        Link::HasMany { key } => {
            let field = model.field(key).unwrap_or(model.id());
            push_id_among(sql, &format!("t.\"{}\"", field.column), field, ids);
        }
        Link::Through { join, own, .. } => {
            let key = join.key(own);
            sql.push("j.\"")
                .push(key.column)
                .push("\" = any(")
                .push_bind(ids.to_vec());
            sql.push(if key.is_text { "::text[])" } else { "::text[]::int4[])" });
            if let Some(only) = join.only {
                sql.push(" and ").push(only);
            }
        }
        Link::References { .. } => {
            sql.push("o.id = any(")
                .push_bind(ids.to_vec())
                .push("::text[]::int4[])");
        }
    }
}

/// Appends the condition of [`push_reached`] for a statement that names no table but `t`, such as an update: where a join is needed, by a
/// subquery, which leaves out links that the scope does not see.
pub(super) fn push_reached_alone(sql: &mut Sql, scope: &Scope, model: &Model, within: ReachedFrom<'_>) {
    match within {
        ReachedFrom::Related(
            Relation {
                link: Link::Through { join, other, .. },
                ..
            },
            _,
        ) => {
            sql.push("exists (select 1 from ")
                .push(join.table)
                .push(" j where j.\"")
                .push(join.key(other).column);
            sql.push("\" = t.id and ");
            push_seen_link(sql, join, scope);
            sql.push(" and ");
            push_reached(sql, model, within);
            sql.push(")");
        }
        ReachedFrom::Related(
            Relation {
                link: Link::References { column },
                ..
            },
            _,
        ) => {
            sql.push("exists (select 1 from user_account o where t.id = any(o.")
                .push(column)
                .push(") and ");
            push_reached(sql, model, within);
            sql.push(")");
        }
        _ => push_reached(sql, model, within),
    }
}

/// Appends the condition that the column is one of the ids, which are given as text and cast to the type of the field; the statement fails
/// if one cannot be cast.
fn push_id_among(sql: &mut Sql, column: &str, field: &Field, ids: &[String]) {
    sql.push(column).push(" = any(").push_bind(ids.to_vec());
    sql.push(match field.kind {
        Kind::File => "::text[]::uuid[])",
        Kind::Text => "::text[])",
        _ => "::text[]::int4[])",
    });
}

/// The column of the field of this name; the id's where the model has no such field.
fn column_of(model: &Model, field: &str) -> &'static str {
    model.field(field).unwrap_or(model.id()).column
}

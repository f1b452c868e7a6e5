//! Which rows a scope sees and changes.

use vocabulary::resources::{Model, Visibility};
use vocabulary::{Actor, Scope};

use super::Sql;

/// Appends the condition that the scope sees the row `t`, by the model's [`Visibility`]; other tables occur in subqueries only.
pub(super) fn push_sight(sql: &mut Sql, model: &Model, scope: &Scope) {
    match model.sight {
        Visibility::Everyone => {
            sql.push("true");
        }
        Visibility::BrandItself => push_brands(sql, scope, "t.id"),
        Visibility::OfBrand => push_brands(sql, scope, "t.brand_id"),
        Visibility::Term => match scope.terms() {
            None => {
                sql.push("true");
            }
            Some(terms) => {
                sql.push("(");
                push_brands(sql, scope, "t.brand_id");
                sql.push(" or t.id = any(");
                sql.push_bind(terms.iter().map(|term| term.0).collect::<Vec<_>>())
                    .push("))");
            }
        },
        Visibility::Tag => {
            if scope.is_everything() {
                sql.push("true");
            } else {
                sql.push("(t.visibility = 'all' or ");
                push_brands(sql, scope, "t.brand_owner_id");
                sql.push(")");
            }
        }
        Visibility::Company => {
            if scope.is_everything() {
                sql.push("true");
            } else {
                sql.push("t.id = ").push_bind(scope.company().map(|company| company.0));
            }
        }
        // The accounts of programs are nobody's to see.
        Visibility::Oneself => {
            sql.push("t.program_of is null and ");
            push_own(sql, scope, "t.id");
        }
        Visibility::Own(column) => push_own(sql, scope, &format!("t.{column}")),
        Visibility::GivenRole => {
            if scope.administers() {
                sql.push("true");
            } else {
                sql.push("exists (select 1 from role_mapping m where m.role_id = t.id and coalesce(m.principal_type, 'USER') = 'USER' and m.principal_id = ");
                push_actor(sql, scope);
                sql.push("::text)");
            }
        }
        Visibility::OfAction => push_through(
            sql,
            scope,
            "exists (select 1 from action a where a.id = t.action_id and ",
        ),
        Visibility::OfEmail => push_through(
            sql,
            scope,
            "exists (select 1 from email e join action a on a.id = e.action_id where e.id = t.email_id and ",
        ),
        Visibility::WrittenTo => push_through(
            sql,
            scope,
            "exists (select 1 from (
                 select email_id from mail_delivery where contact_id = t.id union all select email_id from email_recipient where contact_id = t.id
             ) used join email e on e.id = used.email_id join action a on a.id = e.action_id where e.status <> 'draft' and ",
        ),
        Visibility::Nobody => {
            sql.push(if scope.administers() { "true" } else { "false" });
        }
    }
}

/// Appends the condition that the scope may change the row `t`: it sees the row, and a tag visible to all may only be changed by an
/// administrator (decision D21).
pub(super) fn push_reach(sql: &mut Sql, model: &Model, scope: &Scope) {
    if model.sight == Visibility::Tag && !scope.administers() {
        sql.push("t.visibility is distinct from 'all' and ");
        push_brands(sql, scope, "t.brand_owner_id");
    } else {
        push_sight(sql, model, scope);
    }
}

/// Appends `exists`, an open `exists (select … and ` that names an action `a`, then the condition that the scope sees that action's brand,
/// and the bracket that closes it. Only `true` for a scope that sees everything.
fn push_through(sql: &mut Sql, scope: &Scope, exists: &str) {
    if scope.is_everything() {
        sql.push("true");
    } else {
        sql.push(exists);
        push_brands(sql, scope, "a.brand_id");
        sql.push(")");
    }
}

/// Appends the condition that the scope sees the brand whose id is in `column`; a null is seen only by a scope that sees everything.
fn push_brands(sql: &mut Sql, scope: &Scope, column: &str) {
    match scope.brands() {
        None => {
            sql.push("true");
        }
        Some(brands) => {
            sql.push(column).push(" = any(");
            sql.push_bind(brands.iter().map(|brand| brand.0).collect::<Vec<_>>())
                .push(")");
        }
    }
}

/// Appends the condition that `column` holds the id of the scope's own user; true for administrators.
fn push_own(sql: &mut Sql, scope: &Scope, column: &str) {
    if scope.administers() {
        sql.push("true");
    } else {
        sql.push(column).push(" = ");
        push_actor(sql, scope);
    }
}

/// Appends the id of the scope's user as a parameter. A system scope administers, so it never gets here; no user has the id 0.
fn push_actor(sql: &mut Sql, scope: &Scope) {
    let actor = match scope.actor() {
        Actor::User(user) => user.0,
        Actor::System(_) => 0,
    };
    sql.push_bind(actor);
}

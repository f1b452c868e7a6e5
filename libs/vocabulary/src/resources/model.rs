//! What a resource is made of: static data from which SQL, routes, rights and the OpenAPI document are made.

use super::rights::Rights;
use super::value::Value;

/// Where the rows of a model are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowStore {
    /// A table of Postgres.
    Postgres,
    /// The store of ad results.
    Analytics,
}

/// Which rows a reader sees (decision D21). An administrator sees all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Every signed-in user sees every row.
    Everyone,
    /// Rows whose id is a visible brand.
    BrandItself,
    /// Rows of a visible brand.
    OfBrand,
    /// Terms of a visible brand, and those the company account was given (decision D94).
    Term,
    /// Tags visible to all, and those of a visible brand (decision D99).
    Tag,
    /// The company account of the reader; operators see all.
    Company,
    /// The reader's own account.
    Oneself,
    /// Rows whose column of this name holds the id of the reader's own account.
    Own(&'static str),
    /// Roles given to the reader.
    GivenRole,
    /// Messages of a visible action.
    OfAction,
    /// Files of a visible message.
    OfEmail,
    /// Contacts that a mail of a visible action was sent to (decision D180).
    WrittenTo,
    /// Only administrators see rows.
    Nobody,
}

impl Visibility {
    /// Whether rows are visible to some users because they belong to them.
    pub const fn is_of_user(self) -> bool {
        matches!(self, Self::Oneself | Self::Own(_) | Self::GivenRole)
    }
}

/// The type of a field, as clients see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The id of the row.
    Id,
    /// The id of another row.
    Key,
    /// A number without a fraction.
    Whole,
    /// A number with a fraction.
    Number,
    /// A text of any length.
    Text,
    /// True or false.
    Flag,
    /// An instant, kept to the millisecond.
    Date,
    /// Any JSON value.
    Json,
    /// A list of any JSON values.
    List,
    /// A list of texts.
    Texts,
    /// The id of a file.
    File,
    /// A SHA-256, shown as hex.
    Digest,
}

/// What a field holds when nothing is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// No value: null.
    Nothing,
    /// A text of any length.
    Text(&'static str),
    /// A fixed number.
    Number(i32),
    /// A fixed truth value.
    Flag(bool),
    /// The moment of the creation.
    Now,
    /// An empty list.
    EmptyList,
    /// A list of texts.
    Texts(&'static [&'static str]),
}

/// The rights to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read and written by whoever may read and write the row.
    Open,
    /// Read by all, written by administrators; other writers are refused.
    ByAdmin,
    /// Read by all, given by an administrator at creation, never changed by a resource call (decision D166).
    AtCreation,
    /// Read by all, written by Vigie alone.
    ServerOwned,
    /// Written by administrators, never read, filtered, ordered or selected.
    WriteOnly,
    /// Neither read nor written.
    Hidden,
}

/// A field of a model.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Field {
    /// The name clients use.
    pub name: &'static str,
    /// The column; empty when the field is no column of its own.
    pub column: &'static str,
    /// Type of its values.
    pub kind: Kind,
    /// What it holds when nothing is given.
    pub default: Default,
    /// Whether a row without it is refused.
    pub required: bool,
    /// Whether creating a row without it, or setting it to a blank, is refused. A replace that leaves it out empties it.
    pub named: bool,
    /// The rights to it.
    pub access: Access,
    /// Whether texts are stored in upper case with `_` for `+`, whatever was given (C24, C25).
    pub upper: bool,
    /// Whether it may hold secrets of others: the audit log then says only that it changed.
    pub confidential: bool,
    /// Whether company users find it empty, whatever it holds.
    pub staff_only: bool,
    /// Whether it holds an address that mail is sent to.
    pub mail_address: bool,
    /// Whether it holds the time of the row's last change, which every change sets.
    pub moves: bool,
    /// Whether it is a text without a default that is one of few, so that many rows have the same.
    pub of_few_values: bool,
    /// Whether a number must be given as one: nothing is converted, where a mistake would take a limit away.
    pub exact: bool,
    /// What its values must satisfy beyond their type.
    pub rule: Option<Rule>,
}

/// Code and text of the error that a value is refused with; `None` accepts it.
pub type Rule = fn(&Value) -> Option<(&'static str, &'static str)>;

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.column == other.column
    }
}

impl Field {
    /// An optional field, null by default, that is open to readers and writers of its row. `name` is the one clients use; `column` is empty for a
    /// field that is no column of its own.
    pub const fn new(name: &'static str, column: &'static str, kind: Kind) -> Self {
        Self {
            name,
            column,
            kind,
            default: Default::Nothing,
            required: false,
            named: false,
            access: Access::Open,
            upper: false,
            confidential: false,
            staff_only: false,
            mail_address: false,
            moves: false,
            of_few_values: false,
            exact: false,
            rule: None,
        }
    }

    /// Refuses whatever is not a number already.
    #[must_use]
    pub const fn exact(mut self) -> Self {
        self.exact = true;
        self
    }

    /// Refuses rows without it.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Refuses to make rows without it, and to blank it.
    #[must_use]
    pub const fn named(mut self) -> Self {
        self.named = true;
        self
    }

    /// Gives new rows this value where none is given.
    #[must_use]
    pub const fn or(mut self, default: Default) -> Self {
        self.default = default;
        self
    }

    /// Restricts who reads and writes it.
    #[must_use]
    pub const fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Stores its texts in upper case with `_` for `+`.
    #[must_use]
    pub const fn upper(mut self) -> Self {
        self.upper = true;
        self
    }

    /// Sets it to the time of each change of its row.
    #[must_use]
    pub const fn moves(mut self) -> Self {
        self.moves = true;
        self
    }

    /// Says that its texts are few, so that none of them names rows.
    #[must_use]
    pub const fn of_few_values(mut self) -> Self {
        self.of_few_values = true;
        self
    }

    /// Refuses values that break a rule.
    #[must_use]
    pub const fn keeps(mut self, rule: Rule) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Keeps its values out of the audit log.
    #[must_use]
    pub const fn confidential(mut self) -> Self {
        self.confidential = true;
        self
    }

    /// Shows it to staff alone; others read, filter and order by nothing.
    #[must_use]
    pub const fn for_staff(mut self) -> Self {
        self.staff_only = true;
        self
    }

    /// Refuses what is no address that mail can be sent to.
    #[must_use]
    pub const fn mail_address(mut self) -> Self {
        self.mail_address = true;
        self
    }

    /// Whether one value of it names rows: an id, or a text that is neither of few nor has a default that most rows keep.
    pub const fn names_rows(&self) -> bool {
        match self.kind {
            Kind::Id | Kind::Key | Kind::File | Kind::Digest => true,
            Kind::Text => matches!(self.default, Default::Nothing) && !self.of_few_values,
            Kind::Whole | Kind::Number | Kind::Flag | Kind::Date | Kind::Json | Kind::List | Kind::Texts => false,
        }
    }

    /// Whether responses may hold the field, and filters name it.
    pub const fn is_readable(&self) -> bool {
        !matches!(self.access, Access::WriteOnly | Access::Hidden)
    }

    /// Whether it is a column of its own that a create or a replace sets; ids and what only Vigie writes are not.
    pub const fn is_stored_on_write(&self) -> bool {
        !self.column.is_empty()
            && !matches!(self.kind, Kind::Id)
            && !matches!(self.access, Access::ServerOwned | Access::Hidden)
    }

    /// Whether a change of an existing row may set it.
    pub const fn is_changeable(&self) -> bool {
        self.is_stored_on_write() && !matches!(self.access, Access::AtCreation)
    }
}

/// How the rows of two models refer to each other.
#[derive(Clone, Copy, Debug)]
pub enum Link {
    /// This row holds the id of the other in the named field.
    BelongsTo {
        /// Field of this model.
        key: &'static str,
    },
    /// The other rows hold the id of this one in the named field.
    HasMany {
        /// Field of the other model.
        key: &'static str,
    },
    /// A row of a third table joins the two.
    Through {
        /// The table between.
        join: &'static Join,
        /// Field of the join with this row's id.
        own: &'static str,
        /// Field of the join with the other's id.
        other: &'static str,
    },
    /// This row holds a list of ids in a column that only this relation writes.
    References {
        /// Column of the table.
        column: &'static str,
    },
}

/// A table that joins two models.
#[derive(Debug)]
pub struct Join {
    /// Name of its rows in messages.
    pub name: &'static str,
    /// Name of the table.
    pub table: &'static str,
    /// The ids it holds of the two rows.
    pub keys: [JoinKey; 2],
    /// A condition (SQL on `j`) that its rows must meet to count, where not all do.
    pub only: Option<&'static str>,
    /// Where it labels rows with tags.
    pub labels: Option<Labels>,
}

/// A join that puts tags on rows. A company user can put a shared tag only on rows of the company's own brands, and only that company and
/// staff see the link.
#[derive(Clone, Copy, Debug)]
pub struct Labels {
    /// The key that names the tag.
    pub tag: &'static str,
    /// What it is put on.
    pub labelled: Labelled,
}

/// What tags are put on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labelled {
    /// Advertisers. A company's own are those with a case against one of its brands.
    Dealers,
    /// Terms. A company's own are those of its brands.
    Terms,
}

/// One of the two ids of a join.
#[derive(Clone, Copy, Debug)]
pub struct JoinKey {
    /// The name clients use.
    pub name: &'static str,
    /// Column of the table.
    pub column: &'static str,
    /// Whether the id is kept as text.
    pub is_text: bool,
}

impl Join {
    /// The key of this name.
    ///
    /// # Panics
    /// When the descriptor names a key that the join does not have.
    pub fn key(&self, name: &str) -> &JoinKey {
        let found = self.keys.iter().find(|key| key.name == name);
        found.expect("relations name keys of their join; the descriptor tests hold it")
    }
}

/// What clients may do through a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// The other row or rows.
    Read,
    /// Reading, linking, creating and deleting.
    All,
    /// No path of its own: only `include` reaches it.
    None,
}

/// A relation of a model.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct Relation {
    /// The name clients use.
    pub name: &'static str,
    /// The other model.
    pub target: &'static Model,
    /// How their rows refer to each other.
    pub link: Link,
    /// What paths there are.
    pub paths: Paths,
    /// Whether `include` may name it.
    pub includable: bool,
    /// Whether company users and operators may link and unlink; administrators always may.
    pub linked_by_all: bool,
    /// Whether a reader of the row may include the related rows, whatever the rights to the other model.
    pub part_of_row: bool,
    /// Whether a new row is joined with what its body lists under the name.
    pub given_at_creation: bool,
    /// Whether a `where` may name it, with ids of the other rows. For relations through a third table.
    pub in_where: bool,
}

impl PartialEq for Relation {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.target.name == other.target.name
    }
}

impl Relation {
    /// A relation with all its paths, which `include` may name too. Only administrators link and unlink, and reading takes the rights to the other
    /// model.
    pub const fn new(name: &'static str, target: &'static Model, link: Link) -> Self {
        Self {
            name,
            target,
            link,
            paths: Paths::All,
            includable: true,
            linked_by_all: false,
            part_of_row: false,
            given_at_creation: false,
            in_where: false,
        }
    }

    /// A relation that is read only.
    pub const fn read(name: &'static str, target: &'static Model, link: Link) -> Self {
        let mut relation = Self::new(name, target, link);
        relation.paths = Paths::Read;
        relation
    }

    /// A relation that only `include` reaches.
    pub const fn included(name: &'static str, target: &'static Model, link: Link) -> Self {
        let mut relation = Self::new(name, target, link);
        relation.paths = Paths::None;
        relation
    }

    /// Whether the relation leads to one row at most.
    pub const fn is_single(&self) -> bool {
        matches!(self.link, Link::BelongsTo { .. })
    }
}

/// What a unique key of the table means to clients.
#[derive(Clone, Copy, Debug)]
pub struct Unique {
    /// Name of the key in the database.
    pub key: &'static str,
    /// The field that the error names.
    pub field: &'static str,
    /// The text of the error.
    pub text: &'static str,
}

/// A resource: one kind of row, with all that its routes and queries are made from.
#[derive(Debug)]
pub struct Model {
    /// Its name in messages.
    pub name: &'static str,
    /// First segment of its paths; `None` when only relations lead to it.
    pub path: Option<&'static str>,
    /// Name of the table.
    pub table: &'static str,
    /// Where it is kept.
    pub store: RowStore,
    /// Fields of a row, the id among them.
    pub fields: &'static [Field],
    /// Relations to other models, each under a name that no field has.
    pub relations: &'static [Relation],
    /// Which rows a reader sees.
    pub sight: Visibility,
    /// The rights to its rows.
    pub rights: Rights,
    /// Keys that a write can violate, with their errors (422); any other key is a conflict (409).
    pub unique: &'static [Unique],
    /// Whether the collection may be deleted by a condition.
    pub bulk_delete: bool,
}

impl Model {
    /// The field that clients know by this name; `None` when there is none.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The relation that clients know by this name; `None` when there is none.
    pub fn relation(&self, name: &str) -> Option<&'static Relation> {
        self.relations.iter().find(|relation| relation.name == name)
    }

    /// The field that is kept in this column; `None` when no field is.
    pub fn field_of_column(&self, column: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.column == column)
    }

    /// The id.
    ///
    /// # Panics
    /// When the descriptor has no field `id`.
    pub fn id(&self) -> &'static Field {
        self.field("id")
            .expect("every model has an id; the descriptor tests hold it")
    }
}

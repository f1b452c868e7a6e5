//! The description of every operation, from the same lists as the routes.

use axum::http::Method;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, ParameterBuilder, ParameterIn, PathItem, PathsBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, HeaderBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Required,
    ResponseBuilder,
};
use vocabulary::resources::models::{ALL, RESOURCES};
use vocabulary::resources::{Access, Field, Kind, Model, Relation, RowStore};

use super::call::SEEN_HEADER;
use super::operation::{Operation, RelationOperation};
use super::{flat, is_steering};

const JSON: &str = "application/json";
const AS_OF_HEADER: &str = "X-As-Of";
/// What any of these operations may refuse, and why. Nothing about a sem is forbidden by the state it is in.
const REFUSALS: [(&str, &str); 10] = [
    ("400", "The request cannot be understood"),
    ("401", "No valid session"),
    ("403", "The role lacks the right"),
    ("404", "There is no such row within sight"),
    ("408", "Too many results"),
    (
        "409",
        "The state of the row forbids it, or (CHANGED_SINCE_SEEN, with the rows in `details.changed`) somebody else changed the same since X-Seen-At",
    ),
    ("413", "The body is too large"),
    ("415", "The body is of a type that is not read here"),
    ("422", "Fields that break their rules"),
    ("429", "Too many at once; Retry-After says how long to wait"),
];

/// What the header of an answer is for.
const AS_OF: &str = "The state of the database that the answer shows, to give back as X-Seen-At: microseconds since 1970, `-`, and what is for the server alone";
/// What the header of a change is for.
const SEEN: &str = "The X-As-Of of the answer that showed the rows. Nothing is changed, with 409 CHANGED_SINCE_SEEN, if another person changed one of these fields of a row since, or anything of a row to delete. Without it nothing is compared";

/// The OpenAPI document of all resources: the paths of their operations and relations, and two schemas a model, for reading and for writing.
pub(crate) fn document() -> OpenApi {
    let mut paths = PathsBuilder::new();
    for model in RESOURCES {
        let Some(path) = model.path else { continue };
        for operation in Operation::of_model(model) {
            let address = format!("/{path}{}", operation.path());
            paths = paths.path(
                address,
                PathItem::new(method(&operation.method()), of_model(model, path, operation)),
            );
        }
        for relation in model.relations {
            for operation in RelationOperation::of_relation(relation) {
                let address = format!("/{path}/{{id}}/{}{}", relation.name, operation.path());
                paths = paths.path(
                    address,
                    PathItem::new(
                        method(&operation.method()),
                        of_relation(model, path, relation, operation),
                    ),
                );
            }
        }
    }
    let mut components = ComponentsBuilder::new();
    for model in ALL {
        components = components
            .schema(model.name, schema(model))
            .schema(written_name(model), writable_schema(model));
    }
    OpenApiBuilder::new()
        .info(InfoBuilder::new().title("Vigie").version("1").build())
        .paths(paths.build())
        .components(Some(components.build()))
        .build()
}

/// Describes an operation of a model: parameters, body and answers. `path` is the name of the resource in addresses. The id of the
/// operation is made of both, as in `Brands_FindById`.
fn of_model(model: &'static Model, path: &str, operation: Operation) -> OperationBuilder {
    let mut builder = base(path, model, &format!("{path}_{operation:?}"), operation.summary());
    if operation.path().contains("{id}") {
        builder = builder.parameter(path_parameter("id", model));
    }
    let row = || Ref::from_schema_name(model.name);
    let written = || body(Ref::from_schema_name(written_name(model)));
    builder = match operation {
        Operation::Find if flat::is_offered(model) => {
            let rows = Schema::from(ArrayBuilder::new().items(row()).build());
            let answer = ResponseBuilder::new()
                .description("The rows; with csv=flatten as a file, those of related rows by dotted names")
                .content(JSON, ContentBuilder::new().schema(Some(rows)).build())
                .content("text/csv", ContentBuilder::new().schema(Some(text())).build());
            builder
                .parameter(query("filter"))
                .parameter(query("csv"))
                .parameter(query("access_token"))
                .response("200", answer.build())
        }
        Operation::Find | Operation::FindRequest => rows(
            builder.parameter(query("filter")),
            model,
            ArrayBuilder::new().items(row()).build(),
        ),
        Operation::Export => {
            let file = ResponseBuilder::new()
                .description("The rows, as `name-YYYY-MM-DD.csv` or `.xlsx`")
                .content("text/csv", ContentBuilder::new().schema(Some(text())).build());
            builder
                .parameter(query("filter"))
                .parameter(query("lng"))
                .parameter(query("format"))
                .parameter(query("access_token"))
                .response("200", file.build())
        }
        Operation::FindOne | Operation::FindById => rows(builder.parameter(query("filter")), model, row()),
        Operation::Count => answers(builder.parameter(query("where")), counted()),
        Operation::UpdateAll => answers(
            builder
                .parameter(query("where"))
                .parameter(query("confirm"))
                .request_body(Some(written())),
            counted(),
        ),
        Operation::DeleteAll => answers(builder.parameter(query("where")).parameter(query("confirm")), counted()),
        Operation::DeleteById => answers(builder, counted()),
        Operation::Exists => answers(builder, object_with("exists", Type::Boolean)),
        Operation::Head => builder.response("200", ResponseBuilder::new().description("It is there").build()),
        Operation::ReadChanges | Operation::PostChanges => {
            let stream = ResponseBuilder::new()
                .description("The stream")
                .content("text/event-stream", ContentBuilder::new().build());
            builder.parameter(query("options")).response("200", stream.build())
        }
        Operation::PatchOrCreate => answers(
            builder
                .parameter(query("where"))
                .parameter(query("confirm"))
                .request_body(Some(written())),
            row(),
        ),
        Operation::UpsertWithWhere => answers(builder.parameter(query("where")).request_body(Some(written())), row()),
        _ => answers(builder.request_body(Some(written())), row()),
    };
    if operation.changes_seen_rows() && is_steering(model) {
        builder = builder.parameter(seen_parameter());
    }
    builder
}

/// Describes an operation of a relation of a model, like [`of_model`]: its parameters, its body, and the answer, which is one row for a single
/// relation.
fn of_relation(
    model: &'static Model,
    path: &str,
    relation: &'static Relation,
    operation: RelationOperation,
) -> OperationBuilder {
    let name = format!("{path}_{}_{operation:?}", relation.name);
    let mut builder = base(path, relation.target, &name, operation.summary()).parameter(path_parameter("id", model));
    if operation.path().contains("{fk}") {
        builder = builder.parameter(path_parameter("fk", relation.target));
    }
    let row = || Ref::from_schema_name(relation.target.name);
    let nothing =
        |builder: OperationBuilder| builder.response("204", ResponseBuilder::new().description("Done").build());
    if operation.changes_seen_rows(relation) && is_steering(relation.target) {
        builder = builder.parameter(seen_parameter());
    }
    match operation {
        RelationOperation::Get if relation.is_single() => rows(builder, relation.target, row()),
        RelationOperation::Get => rows(
            builder.parameter(query("filter")),
            relation.target,
            ArrayBuilder::new().items(row()).build(),
        ),
        RelationOperation::Count => answers(builder.parameter(query("where")), counted()),
        RelationOperation::GetById => rows(builder, relation.target, row()),
        RelationOperation::Create | RelationOperation::PutById => {
            let written = body(Ref::from_schema_name(written_name(relation.target)));
            answers(builder.request_body(Some(written)), row())
        }
        RelationOperation::Link => answers(builder, ObjectBuilder::new().build()),
        RelationOperation::IsLinked => {
            builder.response("200", ResponseBuilder::new().description("They are joined").build())
        }
        RelationOperation::DeleteAll | RelationOperation::DeleteById | RelationOperation::Unlink => nothing(builder),
    }
}

/// An operation with tag, id, summary, the three ways to carry a token, and the answers of [`REFUSALS`]; `model` decides whether 409 is one of them.
fn base(tag: &str, model: &Model, id: &str, summary: &str) -> OperationBuilder {
    let mut builder = OperationBuilder::new()
        .tag(tag)
        .operation_id(Some(id))
        .summary(Some(summary));
    let has_states = model.store == RowStore::Postgres;
    for (status, why) in REFUSALS.iter().filter(|(status, _)| has_states || *status != "409") {
        let content = ContentBuilder::new()
            .schema(Some(Ref::from_schema_name("FailureBody")))
            .build();
        builder = builder.response(
            *status,
            ResponseBuilder::new().description(*why).content(JSON, content).build(),
        );
    }
    for scheme in ["bearer", "header", "cookie"] {
        builder = builder.security(SecurityRequirement::new(scheme, Vec::<String>::new()));
    }
    builder
}

/// The optional header by which a change says what its client saw.
fn seen_parameter() -> utoipa::openapi::path::Parameter {
    ParameterBuilder::new()
        .name(SEEN_HEADER)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(SEEN))
        .schema(Some(text()))
        .build()
}

/// The answer 200 with rows of a model and a JSON body of this schema: where they steer the watch, it says which state of the database it shows.
fn rows(builder: OperationBuilder, model: &Model, schema: impl Into<RefOr<Schema>>) -> OperationBuilder {
    let mut answer = ResponseBuilder::new()
        .description("The answer")
        .content(JSON, ContentBuilder::new().schema(Some(schema)).build());
    if is_steering(model) {
        let state = HeaderBuilder::new().schema(Some(text())).description(Some(AS_OF));
        answer = answer.header(AS_OF_HEADER, state.build());
    }
    builder.response("200", answer.build())
}

/// Adds the answer 200 with a JSON body of this schema.
fn answers(builder: OperationBuilder, schema: impl Into<RefOr<Schema>>) -> OperationBuilder {
    let content = ContentBuilder::new().schema(Some(schema)).build();
    builder.response(
        "200",
        ResponseBuilder::new()
            .description("The answer")
            .content(JSON, content)
            .build(),
    )
}

/// A JSON request body of this schema.
fn body(schema: impl Into<RefOr<Schema>>) -> utoipa::openapi::request_body::RequestBody {
    RequestBodyBuilder::new()
        .content(JSON, ContentBuilder::new().schema(Some(schema)).build())
        .build()
}

/// A required parameter of the path that holds the id of a row of `model`.
fn path_parameter(name: &str, model: &Model) -> utoipa::openapi::path::Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(id_schema(model.id())))
        .build()
}

/// An optional parameter of the query: a text, which holds JSON where it is not spelled out in brackets.
fn query(name: &str) -> utoipa::openapi::path::Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .schema(Some(text()))
        .build()
}

fn text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).into()
}

fn counted() -> Schema {
    object_with("count", Type::Integer)
}

/// An object with one required property.
fn object_with(name: &str, kind: Type) -> Schema {
    ObjectBuilder::new()
        .property(name, ObjectBuilder::new().schema_type(kind).build())
        .required(name)
        .into()
}

fn written_name(model: &Model) -> String {
    format!("{}Fields", model.name)
}

/// The schema of what clients may write of a row, whatever their role: without ids, hidden fields and those that the server sets; no field is
/// required.
fn writable_schema(model: &Model) -> Schema {
    let written = |field: &&Field| !matches!(field.access, Access::ServerOwned | Access::Hidden);
    let fields = model.fields.iter().filter(written);
    fields
        .fold(ObjectBuilder::new(), |object, field| {
            object.property(field.name, field_schema(field))
        })
        .into()
}

/// The schema of a row as answered: its readable fields, none of them required, and any related rows that were included.
fn schema(model: &Model) -> Schema {
    let mut object = ObjectBuilder::new();
    for field in model.fields.iter().filter(|field| field.is_readable()) {
        object = object.property(field.name, field_schema(field));
    }
    // Related rows that were included.
    object
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        .into()
}

/// The schema of an id in a path: a number, a UUID or, for tokens, a text.
fn id_schema(id: &Field) -> Schema {
    match id.kind {
        Kind::Digest => text(),
        Kind::File => ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
            .into(),
        _ => ObjectBuilder::new().schema_type(Type::Integer).into(),
    }
}

/// The schema of a field. Every kind but the id may be null.
fn field_schema(field: &Field) -> Schema {
    let kind = |kind: Type| ObjectBuilder::new().schema_type(SchemaType::from_iter([kind, Type::Null]));
    match field.kind {
        Kind::Id => ObjectBuilder::new().schema_type(Type::Integer).into(),
        Kind::Key | Kind::Whole => kind(Type::Integer).into(),
        Kind::Number => kind(Type::Number).into(),
        Kind::Text | Kind::Digest => kind(Type::String).into(),
        Kind::Flag => kind(Type::Boolean).into(),
        Kind::Date => kind(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .into(),
        Kind::File => kind(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
            .into(),
        Kind::Json => ObjectBuilder::new().schema_type(SchemaType::AnyValue).into(),
        Kind::List => list(ObjectBuilder::new().schema_type(SchemaType::AnyValue)),
        Kind::Texts => list(ObjectBuilder::new().schema_type(Type::String)),
    }
}

/// A list of such items, or null.
fn list(items: ObjectBuilder) -> Schema {
    ArrayBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Array, Type::Null]))
        .items(items)
        .into()
}

/// The method as the document names it; any that resources do not use becomes GET.
fn method(method: &Method) -> HttpMethod {
    match *method {
        Method::POST => HttpMethod::Post,
        Method::PUT => HttpMethod::Put,
        Method::PATCH => HttpMethod::Patch,
        Method::DELETE => HttpMethod::Delete,
        Method::HEAD => HttpMethod::Head,
        _ => HttpMethod::Get,
    }
}

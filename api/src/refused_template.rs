//! The failure of a template that is refused.

use outreach::{TemplateError, TemplatePart};

use crate::failure::{ApiError, FieldFault};

/// A 422 at the field of the part, with words for what is wrong in it.
pub(crate) fn refused_template((part, error): (TemplatePart, TemplateError)) -> ApiError {
    let field = match part {
        TemplatePart::Subject => "subject",
        TemplatePart::Body => "body",
    };
    let fault = match error {
        TemplateError::TooLong(most) => FieldFault::new(field, "fields:tooLong").with("most", most),
        TemplateError::SeveralLines => FieldFault::new(field, "fields:severalLines"),
        TemplateError::UnknownTag { line, quote } => FieldFault::new(field, "fields:unknownTag")
            .with("line", line)
            .with("quote", quote),
        TemplateError::Unfit(text) => FieldFault::new(field, "fields:unfitTags").with("text", text),
        TemplateError::TooMuchWork => FieldFault::new(field, "fields:listsInLists"),
        TemplateError::TooLongLetter => FieldFault::new(field, "fields:longLetter"),
    };
    fault.into()
}

//! Whether a machine wrote a mail (decision D174).

use vocabulary::Automatic;

/// Characters of the text that are looked at: what a machine writes says so at once.
const BEGINNING: usize = 600;

/// Fields that only machines write.
const MARKS: [&str; 3] = ["x-autoreply", "x-autorespond", "x-autoresponder"];

/// Phrases of absence notes and receipts, in lower case, in subjects and at the beginning of texts.
const PHRASES: [&str; 44] = [
    // English.
    "out of office",
    "out of the office",
    "automatic reply",
    "auto reply",
    "auto-reply",
    "autoreply",
    "automated response",
    "auto response",
    "i am on vacation",
    "i'm on vacation",
    "on annual leave",
    "on parental leave",
    "away from my desk",
    "do not reply to this",
    "we have received your",
    "your request has been received",
    "your message has been received",
    "ticket has been created",
    "no longer with the company",
    "this is an automated",
    // French.
    "réponse automatique",
    "message automatique",
    "absent du bureau",
    "absente du bureau",
    "je suis absent",
    "je suis actuellement absent",
    "je suis en congé",
    "actuellement en congé",
    "nous avons bien reçu votre",
    "votre demande a bien été",
    "votre message a bien été",
    "ne pas répondre à ce",
    "accusé de réception",
    // German.
    "abwesenheitsnotiz",
    "automatische antwort",
    "nicht im büro",
    "ihre anfrage ist bei uns eingegangen",
    // Spanish.
    "respuesta automática",
    "fuera de la oficina",
    "hemos recibido su",
    // Italian.
    "risposta automatica",
    "fuori ufficio",
    // Dutch and Portuguese.
    "afwezigheidsbericht",
    "resposta automática",
];

/// What the header of a mail and its words say of who wrote it.
pub(super) struct Marks<'a> {
    /// Fields of the header, names in lower case.
    pub fields: &'a [(String, String)],
    pub subject: &'a str,
    pub text: &'a str,
    /// Whether the envelope has no sender, as that of machines.
    pub has_no_sender: bool,
}

impl Marks<'_> {
    /// Certain where a field says so; maybe where a phrase, a list or the envelope hints at it.
    pub(super) fn judge(&self) -> Automatic {
        if self.is_certain() {
            Automatic::Certain
        } else if self.has_no_sender || self.is_of_list() || self.has_phrase() {
            Automatic::Maybe
        } else {
            Automatic::No
        }
    }

    fn is_certain(&self) -> bool {
        self.fields.iter().any(|(name, value)| {
            let first = value.split([';', ' ', '(']).next().unwrap_or_default();
            match name.as_str() {
                "auto-submitted" => !first.is_empty() && !first.eq_ignore_ascii_case("no"),
                "precedence" => value.eq_ignore_ascii_case("auto_reply"),
                name => MARKS.contains(&name),
            }
        })
    }

    fn is_of_list(&self) -> bool {
        self.fields.iter().any(|(name, value)| {
            name == "precedence"
                && ["bulk", "list", "junk"]
                    .iter()
                    .any(|kind| value.eq_ignore_ascii_case(kind))
        })
    }

    fn has_phrase(&self) -> bool {
        let subject = self.subject.to_lowercase();
        // What is quoted below was written by us.
        let own: String = self
            .text
            .lines()
            .take_while(|line| !line.starts_with('>'))
            .collect::<Vec<_>>()
            .join(" ");
        let beginning: String = own
            .chars()
            .take(BEGINNING)
            .collect::<String>()
            .to_lowercase()
            .replace('’', "'");
        PHRASES
            .iter()
            .any(|phrase| subject.contains(phrase) || beginning.contains(phrase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(fields: &[(&str, &str)], subject: &str, text: &str) -> Automatic {
        let fields: Vec<(String, String)> = fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let marks = Marks {
            fields: &fields,
            subject,
            text,
            has_no_sender: false,
        };
        marks.judge()
    }

    #[test]
    fn a_field_makes_it_certain() {
        for field in [
            ("auto-submitted", "auto-replied"),
            ("auto-submitted", "auto-generated; owner=x"),
            ("x-autoreply", "yes"),
            ("x-autorespond", ""),
            ("precedence", "AUTO_REPLY"),
        ] {
            assert_eq!(judge(&[field], "Re: ads", "We stop."), Automatic::Certain, "{field:?}");
        }
        assert_eq!(judge(&[("auto-submitted", "no")], "Re: ads", "We stop."), Automatic::No);
    }

    #[test]
    fn a_phrase_or_a_list_makes_it_possible() {
        assert_eq!(
            judge(&[("precedence", "bulk")], "Re: ads", "We stop."),
            Automatic::Maybe
        );
        assert_eq!(judge(&[], "Réponse automatique : vos annonces", ""), Automatic::Maybe);
        assert_eq!(
            judge(&[], "Re: ads", "Hello,\nI’m on vacation until Monday."),
            Automatic::Maybe
        );
        assert_eq!(
            judge(&[], "[#12] Re: ads", "We have received your request."),
            Automatic::Maybe
        );
    }

    #[test]
    fn what_we_wrote_ourselves_makes_nothing_of_it() {
        let text = "We have removed the ads.\n> Automatic reply to nobody\n> out of office";
        assert_eq!(judge(&[], "Re: ads", text), Automatic::No);
    }
}

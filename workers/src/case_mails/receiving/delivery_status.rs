//! What mail servers report of mails (RFC 3464), and what it means for the address.

use postgres::case_mails::reports::Report;
use vocabulary::DeliveryReport;

/// Bytes of a report that are looked at.
const MAX_REPORT: usize = 256 << 10;
/// Recipients of a report that are looked at; ours have one.
const MOST_RECIPIENTS: usize = 100;
/// The address does not exist, or takes nothing for good (RFC 3463, RFC 7505).
const HARD: [&str; 6] = ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"];

/// What a report says of one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipientReport {
    /// The addresses that the report names, in lower case.
    pub addresses: Vec<String>,
    /// What it says.
    pub report: Report,
}

/// The recipients of a `message/delivery-status` part.
pub(super) fn recipients(content: &[u8]) -> Vec<RecipientReport> {
    let text = String::from_utf8_lossy(&content[..content.len().min(MAX_REPORT)]).replace("\r\n", "\n");
    let groups = text.split("\n\n").map(fields).filter(|fields| {
        fields
            .iter()
            .any(|(name, _)| matches!(name.as_str(), "final-recipient" | "original-recipient" | "action"))
    });
    groups.take(MOST_RECIPIENTS).map(|fields| recipient(&fields)).collect()
}

/// What a report of another form says: the first status code of its text, if there is one.
pub(super) fn of_text(text: &str) -> RecipientReport {
    let status = status_in(text).unwrap_or_default();
    RecipientReport {
        addresses: Vec::new(),
        report: Report {
            outcome: outcome("failed", &status),
            status,
            text: text.chars().take(500).collect(),
        },
    }
}

/// Of several recipients the one that the mail went to; of none the worst, as it may have been forwarded.
pub(super) fn report_of<'a>(recipients: &'a [RecipientReport], address: &str) -> Option<&'a Report> {
    let address = address.to_lowercase();
    let own = recipients.iter().find(|one| one.addresses.contains(&address));
    let worst = || {
        recipients.iter().min_by_key(|one| match one.report.outcome {
            DeliveryReport::Hard => 0,
            DeliveryReport::Policy => 1,
            DeliveryReport::Soft => 2,
            DeliveryReport::Delivered => 3,
        })
    };
    own.or_else(worst).map(|one| &one.report)
}

/// The fields of a group, names in lower case, folded lines joined.
fn fields(group: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in group.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    fields
}

fn recipient(fields: &[(String, String)]) -> RecipientReport {
    let value = |wanted: &str| {
        let found = fields.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    // `rfc822; ann@acme.example`
    let address = |field: &str| {
        let value = value(field);
        let address = value.split_once(';').map_or(value, |(_, address)| address);
        address.trim().trim_matches(['<', '>']).to_lowercase()
    };
    let mut addresses = vec![address("original-recipient"), address("final-recipient")];
    addresses.retain(|address| !address.is_empty());
    let diagnosis = value("diagnostic-code");
    let said = status_in(value("status")).unwrap_or_default();
    // Some servers say only that it is for good, and the reason in words.
    let is_vague = said.is_empty() || said.ends_with(".0.0");
    let status = if is_vague {
        status_in(diagnosis).unwrap_or(said)
    } else {
        said
    };
    RecipientReport {
        addresses,
        report: Report {
            outcome: outcome(value("action"), &status),
            status,
            text: diagnosis.to_owned(),
        },
    }
}

/// What an action and a status code come to.
fn outcome(action: &str, status: &str) -> DeliveryReport {
    match action.to_ascii_lowercase().as_str() {
        "delivered" | "relayed" | "expanded" => DeliveryReport::Delivered,
        "failed" if HARD.contains(&status) => DeliveryReport::Hard,
        "failed" if status.starts_with("5.7.") => DeliveryReport::Policy,
        _ => DeliveryReport::Soft,
    }
}

/// The first status code in a text, as in `5.1.1`.
fn status_in(text: &str) -> Option<String> {
    text.split(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .find_map(|word| {
            let mut numbers = word.trim_matches('.').split('.');
            let (class, subject, detail) = (numbers.next()?, numbers.next()?, numbers.next()?);
            let is_short = |number: &str| (1..=3).contains(&number.len());
            let is_code =
                numbers.next().is_none() && matches!(class, "2" | "4" | "5") && is_short(subject) && is_short(detail);
            is_code.then(|| format!("{class}.{subject}.{detail}"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "Reporting-MTA: dns; mx.acme.example\r\n\r\nOriginal-Recipient: rfc822;Ann@acme.example\r\n\
        Final-Recipient: rfc822; <ann@other.example>\r\nAction: failed\r\nStatus: 5.0.0\r\nDiagnostic-Code: smtp; 550\r\n 5.1.1 no such user\r\n\r\n\
        Final-Recipient: rfc822; bob@acme.example\r\nAction: delayed\r\nStatus: 4.4.1 (waits)\r\n";

    #[test]
    fn each_recipient_has_its_own_outcome() {
        let found = recipients(REPORT.as_bytes());
        assert_eq!(found.len(), 2);
        let ann = report_of(&found, "ann@ACME.example").unwrap();
        assert_eq!((ann.outcome, ann.status.as_str()), (DeliveryReport::Hard, "5.1.1"));
        assert_eq!(ann.text, "smtp; 550 5.1.1 no such user");
        assert_eq!(report_of(&found, "bob@acme.example").unwrap().status, "4.4.1");
        assert_eq!(
            report_of(&found, "else@acme.example").unwrap().outcome,
            DeliveryReport::Hard
        );
        assert_eq!(report_of(&[], "ann@acme.example"), None);
    }

    #[test]
    fn only_an_address_that_is_gone_is_hard() {
        for (action, status, expected) in [
            ("failed", "5.1.1", DeliveryReport::Hard),
            ("Failed", "5.2.1", DeliveryReport::Hard),
            ("delayed", "5.1.1", DeliveryReport::Soft),
            ("failed", "5.7.1", DeliveryReport::Policy),
            ("failed", "5.7.26", DeliveryReport::Policy),
            ("failed", "5.2.2", DeliveryReport::Soft),
            ("failed", "4.4.7", DeliveryReport::Soft),
            ("failed", "", DeliveryReport::Soft),
            ("delivered", "2.1.5", DeliveryReport::Delivered),
            ("relayed", "2.0.0", DeliveryReport::Delivered),
        ] {
            assert_eq!(outcome(action, status), expected, "{action} {status}");
        }
    }

    #[test]
    fn a_code_is_not_taken_from_other_numbers() {
        assert_eq!(
            status_in("host 192.0.2.1 said: 550 5.7.1 refused").as_deref(),
            Some("5.7.1")
        );
        assert_eq!(status_in("version 1.2.3, 4.4"), None);
        assert_eq!(of_text("550 5.1.1 unknown").report.outcome, DeliveryReport::Hard);
        assert_eq!(of_text("it did not work").report.outcome, DeliveryReport::Soft);
    }
}

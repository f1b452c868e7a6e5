//! Addresses that mail can be sent to.

use email_address::EmailAddress;

/// Whether common mail servers deliver to an address of this form: ASCII, a plain name before the `@`, a host name with a dot after it (no IP
/// address), and nothing that needs quotes or an extension (RFC 6531). Whether it exists is not checked.
pub fn is_mail_address(text: &str) -> bool {
    let Some((name, host)) = text.rsplit_once('@') else {
        return false;
    };
    let is_host = host.contains('.')
        && host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        && host.parse::<std::net::IpAddr>().is_err();
    text.is_ascii() && is_host && !name.starts_with('"') && EmailAddress::is_valid(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_takes_is_an_address() {
        for good in [
            "ann@acme.example",
            "ann.lee+ads@mail.acme.example",
            "A@b.co",
            "o'neil_1@acme-shop.example",
        ] {
            assert!(is_mail_address(good), "{good}");
        }
    }

    #[test]
    fn what_no_server_takes_is_none() {
        let long = format!("{}@acme.example", "a".repeat(65));
        for bad in [
            "ann",
            "@acme.example",
            "ann@acme",
            "ann@.example",
            "ann@acme.",
            "ann..lee@acme.example",
            ".ann@acme.example",
            "ann@-acme.example",
            "ann@acme_shop.example",
            "änn@acme.example",
            "ann@ächme.example",
            "ann@127.0.0.1",
            "ann@[127.0.0.1]",
            "\"ann lee\"@acme.example",
            "ann lee@acme.example",
            "ann@acme.example\r\nBcc: eve@evil.example",
            "Ann <ann@acme.example>",
            &long,
        ] {
            assert!(!is_mail_address(bad), "{bad}");
        }
    }
}

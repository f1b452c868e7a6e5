use std::time::{Duration, Instant};

use proptest::prelude::*;
use vocabulary::DeliveryReport;

use super::*;

const REPLY_TOKEN: &str = "abcdefghijklmnopqrstuvw234";
const BOUNCE_TOKEN: &str = "bbcdefghijklmnopqrstuvw234";

fn envelope(to: &[&str], from: &str) -> Envelope {
    Envelope {
        to: to.iter().map(|to| (*to).to_owned()).collect(),
        from: Some(from.to_owned()),
    }
}

fn mail(text: &str) -> ReadMail {
    let raw = text.replace('\n', "\r\n");
    read_apart(raw.as_bytes(), &envelope(&[], "ann@acme.example")).unwrap()
}

fn tokens(found: &[MailToken]) -> Vec<&str> {
    found.iter().map(MailToken::as_str).collect()
}

#[test]
fn a_reply_is_read_with_its_words_and_files() {
    let read = mail(&format!(
        "From: =?utf-8?q?Ann_L=C3=A9?= <ann@acme.example>
To: Ads <Reply+{}@mail.example>, bob@acme.example
Subject: =?iso-8859-1?q?Re:_Vos_annonces_=E9t=E9?=
Message-ID: <one@acme.example>
In-Reply-To: <ours@mail.example>
References: <first@mail.example> <ours@mail.example>
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: multipart/alternative; boundary=y

--y
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

C'est fait, d=E9sol=E9.
--y
Content-Type: text/html

<p>C'est <b>fait</b><script>x</script></p>
--y--
--x
Content-Type: image/png; name=\"../photo.png\"
Content-Transfer-Encoding: base64

JVBERi0xLjcKJcOkw7zDtsOf
--x--
",
        REPLY_TOKEN.to_uppercase()
    ));
    assert_eq!(read.sender.as_deref(), Some("ann@acme.example"));
    assert_eq!(read.sender_name.as_deref(), Some("Ann Lé"));
    assert_eq!(read.subject, "Re: Vos annonces été");
    assert_eq!(read.text, "C'est fait, désolé.");
    assert_eq!(read.html.as_deref().map(str::trim), Some("<p>C'est <b>fait</b></p>"));
    assert_eq!(read.message_id.as_deref(), Some("one@acme.example"));
    assert_eq!(read.clues.in_reply_to, ["ours@mail.example"]);
    assert_eq!(read.clues.references, ["ours@mail.example", "first@mail.example"]);
    assert_eq!(tokens(&read.clues.reply_tokens), [REPLY_TOKEN]);
    assert_eq!(read.nature, Nature::Letter(Automatic::No));
    let [file] = &read.files[..] else {
        panic!("{:?}", read.files)
    };
    assert_eq!(
        (file.name.as_str(), file.mime_type.as_str()),
        ("photo.png", "application/pdf")
    );
    assert!(file.content.starts_with(b"%PDF-1.7"));
}

#[test]
fn control_characters_of_a_subject_and_a_name_are_gone() {
    let read = mail(
        "From: \"A\u{7}nn\" <ann@acme.example>
Subject: =?utf-8?q?Hello=0D=0ABcc:_eve=00=E2=80=AE?=
Content-Type: multipart/mixed; boundary=x

--x

Hello\0 you
--x
Content-Type: application/octet-stream
Content-Disposition: attachment; filename*=utf-8''a%0D%0A%00%E2%80%AEb.pdf

data
--x--
",
    );
    assert_eq!(read.subject, "Hello Bcc: eve");
    assert_eq!(read.sender_name.as_deref(), Some("A nn"));
    assert_eq!(read.text, "Hello you");
    assert_eq!(read.files[0].name, "ab.pdf");
}

#[test]
fn only_the_envelope_says_where_a_report_came_back_to() {
    let raw = format!("From: a@b.example\nTo: bounce+{BOUNCE_TOKEN}@mail.example\n\nx");
    let read = read_apart(raw.as_bytes(), &envelope(&[], "a@b.example")).unwrap();
    assert!(read.clues.bounce_tokens.is_empty());
    let to = format!("bounce+{BOUNCE_TOKEN}@mail.example");
    let read = read_apart(raw.as_bytes(), &envelope(&[&to], "a@b.example")).unwrap();
    assert_eq!(tokens(&read.clues.bounce_tokens), [BOUNCE_TOKEN]);
    // People do not write there.
    assert_eq!(read.nature, Nature::Letter(Automatic::Maybe));
}

const REPORT: &str = "From: Mail System <MAILER-DAEMON@mx.acme.example>
Subject: Undelivered
Content-Type: multipart/report; report-type=delivery-status; boundary=r

--r

It did not work.
--r
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.acme.example

Final-Recipient: rfc822; ann@acme.example
Action: failed
Status: 5.1.1

--r
Content-Type: message/rfc822

From: Ads <ads@mail.example>
Reply-To: reply+TOKEN@mail.example
Message-ID: <ours@mail.example>
Subject: Your ads

Hello
--r--
";

#[test]
fn a_delivery_report_is_read_by_recipient() {
    let raw = REPORT.replace("TOKEN", REPLY_TOKEN).replace('\n', "\r\n");
    let read = read_apart(raw.as_bytes(), &envelope(&[], "")).unwrap();
    let Nature::Report(recipients) = &read.nature else {
        panic!("{:?}", read.nature)
    };
    assert_eq!(recipients[0].report.outcome, DeliveryReport::Hard);
    assert_eq!(recipients[0].addresses, ["ann@acme.example"]);
    assert_eq!(read.clues.quoted, ["ours@mail.example"]);
    assert_eq!(tokens(&read.clues.quoted_tokens), [REPLY_TOKEN]);
    assert!(read.clues.reply_tokens.is_empty());
}

#[test]
fn a_report_in_words_has_the_code_that_it_names() {
    let raw = b"From: postmaster@acme.example\nSubject: failed\n\nhost mx said: 550 5.7.1 policy";
    let read = read_apart(raw, &envelope(&[], "")).unwrap();
    let Nature::Report(recipients) = &read.nature else {
        panic!("{:?}", read.nature)
    };
    assert_eq!(recipients[0].report.outcome, DeliveryReport::Policy);
    // The same from somebody is a letter.
    let read = read_apart(raw, &envelope(&[], "eve@evil.example")).unwrap();
    assert_eq!(read.nature, Nature::Letter(Automatic::No));
}

#[test]
fn a_complaint_and_a_praise_differ() {
    let complaint = "From: fbl@isp.example
Content-Type: multipart/report; report-type=feedback-report; boundary=r

--r
Content-Type: message/feedback-report

Feedback-Type: abuse
Version: 1

--r--
";
    assert_eq!(mail(complaint).nature, Nature::Complaint);
    assert_eq!(
        mail(&complaint.replace("abuse", "not-spam")).nature,
        Nature::Report(Vec::new())
    );
}

#[test]
fn a_mail_of_ours_that_comes_back_is_our_own() {
    let from = format!("bounce+{BOUNCE_TOKEN}@mail.example");
    let read = read_apart(b"From: ads@mail.example\n\nhello", &envelope(&[], &from)).unwrap();
    assert_eq!(read.nature, Nature::Own);
}

#[test]
fn a_subject_is_the_same_whatever_replies_put_before_it() {
    for subject in [
        "Re: Your ads",
        "RE: re: Your ads",
        "[list] Fwd: Your  ads (fwd)",
        "AW: Your ads",
        "Your ads",
    ] {
        assert_eq!(base_subject(subject), "your ads", "{subject}");
    }
    assert_ne!(base_subject("Re: Your bill"), "your ads");
}

#[test]
fn deep_and_broad_mails_are_read_or_refused_in_time() {
    let begun = Instant::now();
    let head = "From: ann@acme.example\n";
    let nested_parts: Vec<String> = (0..20_000)
        .map(|number| format!("Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n"))
        .collect();
    let nested_parts = nested_parts.concat();
    let nested_mails = "Content-Type: message/rfc822\n\n".repeat(300_000);
    let few_mails = "Content-Type: message/rfc822\n\n".repeat(150);
    let folded_mails = "Content-Type: message/\n rfc822\n\n".repeat(100_000);
    let many_parts = format!(
        "Content-Type: multipart/mixed; boundary=b\n\n{}",
        "--b\n\nx\n".repeat(100_000)
    );
    let many_fields = "X: y\n".repeat(500_000);
    let empty = Envelope::default();
    assert!(read_apart(format!("{head}{nested_parts}").as_bytes(), &empty).is_ok());
    let refused = read_apart(format!("{head}{nested_mails}").as_bytes(), &empty);
    assert_eq!(refused, Err(ReadMailError::TooNested));
    assert!(read_apart(format!("{head}{few_mails}\nhello").as_bytes(), &empty).is_ok());
    let _ = read_apart(format!("{head}{folded_mails}").as_bytes(), &empty);
    let read = read_apart(format!("{head}{many_parts}").as_bytes(), &empty).unwrap();
    assert!(read.files.len() <= 50);
    assert!(read_apart(format!("{head}{many_fields}\nhello").as_bytes(), &empty).is_ok());
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
}

#[test]
fn a_mail_that_is_encoded_inside_another_is_a_file_and_is_not_opened() {
    let inner = base64(&"Content-Type: message/rfc822\n\n".repeat(100).into_bytes());
    let raw =
        format!("From: ann@acme.example\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{inner}\n");
    let read = read_apart(raw.as_bytes(), &Envelope::default()).unwrap();
    assert!(read.files.len() <= 1, "{:?}", read.files.len());
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn bytes_that_are_no_mail_are_refused() {
    for raw in [&b""[..], b"\n\n\n"] {
        assert_eq!(
            read_apart(raw, &Envelope::default()),
            Err(ReadMailError::NoHeader),
            "{raw:?}"
        );
    }
}

/// Lines of which mails are made, so that random ones are not all nonsense.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just("From: ann@acme.example".to_owned()),
        Just("Content-Type: multipart/mixed; boundary=\"b\"".to_owned()),
        Just("Content-Type: multipart/report; report-type=delivery-status; boundary=b".to_owned()),
        Just("Content-Type: multipart/digest; boundary=b".to_owned()),
        Just("Content-Type: message/rfc822".to_owned()),
        Just("Content-Type: message/delivery-status".to_owned()),
        Just("Content-Type: text/html; charset=utf-16".to_owned()),
        Just("Content-Transfer-Encoding: base64".to_owned()),
        Just("Content-Transfer-Encoding: quoted-printable".to_owned()),
        Just("Content-Disposition: attachment; filename*0*=utf-8''%".to_owned()),
        Just("--b".to_owned()),
        Just("--b--".to_owned()),
        Just(String::new()),
        "[ -~]{0,40}",
        "\\PC{0,20}",
    ];
    proptest::collection::vec(line, 0..60).prop_map(|lines| lines.join("\r\n").into_bytes())
}

/// Mails of every nature, whose bytes are then damaged.
fn sound() -> Vec<Vec<u8>> {
    let nested = (0..6).fold("text".to_owned(), |inner, level| {
        format!("Content-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n{inner}\r\n--b{level}--\r\n")
    });
    let encoded = "From: =?utf-8?q?Ann?= <ann@acme.example>\r\nSubject: =?utf-8?b?UmU6IHB1YnM=?=\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/alternative; boundary=\"x\"\r\n\r\n--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
        Content-Transfer-Encoding: quoted-printable\r\n\r\nNous arr=EAtons.\r\n--x\r\nContent-Type: text/html\r\n\
        Content-Transfer-Encoding: base64\r\n\r\nPHA+Tm91cyA8Yj5hcnLDqnRvbnM8L2I+PC9wPg==\r\n--x--\r\n";
    let report = REPORT.replace("TOKEN", REPLY_TOKEN).replace('\n', "\r\n");
    [encoded.to_owned(), report, format!("From: a@b.example\r\n{nested}")]
        .map(String::into_bytes)
        .to_vec()
}

/// Removes, repeats, replaces and swaps pieces of a mail.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let harm = (any::<prop::sample::Index>(), 0_usize..80, 0_u8..4, any::<u8>());
    (prop::sample::select(sound()), proptest::collection::vec(harm, 1..12)).prop_map(|(mut raw, harms)| {
        for (place, length, kind, byte) in harms {
            let start = place.index(raw.len() + 1);
            let end = (start + length).min(raw.len());
            let piece = raw[start..end].to_vec();
            match kind {
                0 => drop(raw.drain(start..end)),
                1 => drop(raw.splice(start..start, piece)),
                2 => raw[start..end].fill(byte),
                _ => raw[start..end].reverse(),
            }
        }
        raw
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn no_damage_to_a_mail_ends_the_reader(raw in damaged()) {
        let begun = Instant::now();
        let read = read_apart(&raw, &envelope(&[], ""));
        prop_assert_ne!(&read, &Err(ReadMailError::BrokeDown));
        if let Ok(read) = read {
            prop_assert!(!read.subject.contains(char::is_control));
            prop_assert!(!read.text.contains('\0'));
        }
        prop_assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_mail_ends_the_reader_or_keeps_it_long(raw in prop_oneof![lines(), proptest::collection::vec(any::<u8>(), 0..600)]) {
        let begun = Instant::now();
        let read = read_apart(&raw, &envelope(&[], ""));
        prop_assert_ne!(&read, &Err(ReadMailError::BrokeDown));
        if let Ok(read) = read {
            prop_assert!(!read.subject.contains(char::is_control));
            prop_assert!(!read.text.contains('\0'));
        }
        prop_assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

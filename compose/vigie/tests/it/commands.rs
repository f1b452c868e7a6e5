//! The commands other than `up`.

use std::io::Write;
use std::process::{Output, Stdio};

use crate::trial::{Trial, folder, vigie};

#[test]
fn every_command_says_what_it_needs() {
    let data = folder();
    let listed = vigie(data.path(), "help").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let commands: Vec<&str> = listed
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.contains(&"up") && commands.len() > 8, "{commands:?}");
    for command in commands {
        let help = vigie(data.path(), command).arg("--help").output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        assert!(help.contains("Needs"), "{command}: {help}");
    }
}

#[test]
fn a_command_without_a_stack_says_how_to_get_one() {
    let data = folder();
    let Output { status, stderr, .. } = vigie(data.path(), "migrate").output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert!(!status.success());
    assert!(
        said.contains("vigie up") && said.contains("VIGIE__POSTGRES__URL"),
        "{said}"
    );
}

#[test]
fn commands_find_the_stores_of_a_running_stack() {
    let data = folder();
    let _up = Trial::ready(data.path());
    let migrated = vigie(data.path(), "migrate").output().unwrap();
    assert!(migrated.status.success(), "{migrated:?}");

    let create = || {
        let mut child = vigie(data.path(), "create-admin")
            .arg("root@vigie.example")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"a long password\n").unwrap();
        child.wait_with_output().unwrap()
    };
    assert!(create().status.success());
    let again = create();
    assert!(!again.status.success());
    assert!(
        String::from_utf8_lossy(&again.stderr).contains("already has an account"),
        "{again:?}"
    );

    let examined = vigie(data.path(), "doctor").arg("--json").output().unwrap();
    let findings: serde_json::Value = serde_json::from_slice(&examined.stdout).unwrap();
    let bad: Vec<_> = findings
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["verdict"] == "bad")
        .collect();
    assert!(bad.is_empty() && examined.status.success(), "{bad:#?}");
    let tried = |words: &[&str]| {
        let output = vigie(data.path(), "try-capture").args(words).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    let out = data.path().join("try");
    let (good, said) = tried(&["buy shoes", "--device", "mobile", "--out", out.to_str().unwrap()]);
    assert!(good, "{said}");
    for words in [
        "Google was asked for “buy shoes” on a mobile from FR in fr, without a proxy.",
        "Answer: a result page after",
        "Doubts: none",
        "The picture: ",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let ads = said
        .lines()
        .filter(|line| line.starts_with("  text ") || line.starts_with("  shopping "))
        .count();
    assert!(ads > 0, "{said}");
    for file in ["page.html", "view.html", "picture.png"] {
        assert!(out.join(file).metadata().unwrap().len() > 1_000, "{file}");
    }
    let (good, said) = tried(&["buy shoes", "--engine", "bing", "--country", "de", "--json"]);
    let read: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert!(good && read["verdict"] == "results" && read["status"] == 200, "{said}");
    for (wrong, said) in [
        (["--country", "France"], "two letters, as in FR"),
        (["--language", "french"], "two or three letters, as in fr"),
        (["--engine", "yahoo"], "google or bing"),
        (["--device", "watch"], "desktop, mobile or tablet"),
    ] {
        let refused = vigie(data.path(), "try-capture")
            .arg("shoes")
            .args(wrong)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&refused.stderr);
        assert!(
            !refused.status.success() && stderr.contains(said),
            "{wrong:?}: {stderr}"
        );
    }

    let engines = vigie(data.path(), "doctor").arg("--engines").output().unwrap();
    let said = String::from_utf8(engines.stdout).unwrap();
    assert!(engines.status.success(), "{said}");
    for engine in ["Google", "Bing"] {
        let found = said.lines().any(|line| {
            line.starts_with("good") && line.contains(engine) && line.contains("FR, direct: a result page")
        });
        assert!(found, "{engine}: {said}");
    }
    for part in ["PostgreSQL schema", "ClickHouse schema"] {
        let schema = findings
            .as_array()
            .unwrap()
            .iter()
            .find(|finding| finding["part"] == part);
        assert_eq!(schema.unwrap()["found"], "up to date");
    }
}

#[test]
fn a_proxy_that_does_not_answer_is_named_with_its_country_and_its_password_is_not() {
    let data = folder();
    let examined = vigie(data.path(), "doctor")
        .arg("--engines")
        .env(
            "VIGIE__ENGINES__BING__COUNTRY_PROXIES",
            "[\"FR=http://ann:secret@127.0.0.1:9\"]",
        )
        .env("VIGIE__ENGINES__SIMULATOR", "127.0.0.1:9")
        .env("VIGIE__CAPTURE__DEADLINE_SECONDS", "5")
        .env("VIGIE__CAPTURE__SANDBOX", "off")
        .output()
        .unwrap();
    let said = String::from_utf8(examined.stdout).unwrap();
    assert!(!examined.status.success());
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("BAD")).collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(
        lines
            .iter()
            .any(|line| line.contains("Bing") && line.contains("FR, 127.0.0.1:9")),
        "{said}"
    );
    assert!(
        said.contains("to mend: check the proxy") && !said.contains("secret"),
        "{said}"
    );
}

#[test]
fn the_doctor_names_what_is_bad_and_its_cure() {
    let data = folder();
    let examined = vigie(data.path(), "doctor")
        .env("VIGIE__CAPTURE__CHROMIUM", "/nowhere/chromium")
        .output()
        .unwrap();
    let said = String::from_utf8(examined.stdout).unwrap();
    assert!(!examined.status.success());
    assert!(
        said.contains("BAD       Chromium") && said.contains("VIGIE__CAPTURE__CHROMIUM"),
        "{said}"
    );
}

use vocabulary::Verdict;

use super::{bing, google, page};

#[test]
fn a_test_for_persons_is_a_captcha() {
    for page in [
        "<title>https://search.example/?q=a</title><form id=captcha-form action=index method=post><div class=g-recaptcha></div></form>",
        "<form action=CaptchaRedirect><img src='/sorry/image?id=1'><input name=captcha id=captcha></form>",
    ] {
        assert_eq!(google(page).verdict, Verdict::Captcha, "{page}");
    }
    assert_eq!(
        bing("<div id=b_content><div class=captcha>One last step</div></div>").verdict,
        Verdict::Captcha
    );
}

#[test]
fn a_refusal_without_a_test_is_a_block() {
    let page = "<title>Sorry...</title><h1>We're sorry</h1>See <a href='https://support.google.com/websearch/answer/86640'>Help</a>";
    assert_eq!(google(page).verdict, Verdict::Blocked);
}

#[test]
fn a_page_that_only_speaks_of_unusual_traffic_is_a_block_and_no_shell() {
    for text in [
        "Sorry, there appears to be unusual traffic from your network.",
        "Nous avons détecté un trafic inhabituel.",
        "Ungewöhnlicher Datenverkehr aus Ihrem Netz",
        "Мы зарегистрировали подозрительный трафик",
    ] {
        let page =
            format!("<html><head><title>Bing</title></head><body><div id=b_content><p>{text}</p></div></body></html>");
        assert_eq!(bing(&page).verdict, Verdict::Blocked, "{text}");
        assert_eq!(google(&page).verdict, Verdict::Blocked, "{text}");
    }
    let article = "<ol id=b_results><li class=b_algo><h2><a href='https://a.example/'>What unusual traffic means</a></h2></li></ol>";
    assert_eq!(bing(article).verdict, Verdict::Results);
}

#[test]
fn a_test_of_another_house_is_a_captcha_too() {
    for page in [
        "<div id=b_content><h1>One last step</h1><div class=cf-turnstile data-sitekey=0x4></div></div>",
        "<body><iframe src='/turing/captcha/challenge?q=a'></iframe></body>",
        "<body><form action='/turing/verify'><input name=answer></form></body>",
        "<div class='captcha_header'>Verify</div>",
    ] {
        assert_eq!(bing(page).verdict, Verdict::Captcha, "{page}");
    }
}

#[test]
fn a_consent_wall_is_no_answer() {
    let page = "<title>Before you continue</title><form action='https://consent.google.com/save' method=post><button>Accept all</button></form>";
    assert_eq!(google(page).verdict, Verdict::Consent);
    let of_another_host = "<form action='http://serp.test/google/consent/save'><input type=hidden name=set_eom value=false><button>OK</button></form>";
    assert_eq!(google(of_another_host).verdict, Verdict::Consent);
}

#[test]
fn error_pages_are_known_by_their_title() {
    for page in [
        "<title>Error 403 (Forbidden)!!1</title><p>403. That’s an error.",
        "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
        "<title>www.search.example</title><body class=neterror><div id=main-frame-error>No internet</div>",
    ] {
        assert_eq!(google(page).verdict, Verdict::HttpError, "{page}");
        assert_eq!(bing(page).verdict, Verdict::HttpError, "{page}");
    }
}

#[test]
fn a_frame_without_anything_in_it_is_a_shell() {
    for page in [
        "",
        "<title>a - Search</title><div id=cnt></div>",
        "<div id=center_col><div id=search></div><div id=rso></div></div>",
    ] {
        assert_eq!(google(page).verdict, Verdict::Shell, "{page}");
    }
    assert_eq!(bing("<ol id=b_results></ol>").verdict, Verdict::Shell);
}

#[test]
fn nothing_found_is_doubtful() {
    let read = google("<div id=topstuff><p>No results containing all your search terms were found.</p></div>");
    assert_eq!(
        (read.verdict, read.ads.len(), read.generation),
        (Verdict::Doubtful, 0, "none")
    );
    assert_eq!(
        bing("<ol id=b_results><li class=b_no><h1>There are no results</h1></li></ol>").verdict,
        Verdict::Doubtful
    );
}

#[test]
fn results_win_over_a_consent_layer_above_them() {
    let page = format!(
        "{}<div id=CXQnmb><form action='https://consent.google.com/save'></form></div>",
        page!("google-2020")
    );
    assert_eq!(google(&page).verdict, Verdict::Results);
}

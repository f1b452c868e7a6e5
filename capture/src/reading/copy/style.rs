//! Rewrites style sheets so that every address is replaced by its content.

use cssparser::{ParseError, Parser, Token, serialize_string};
use url::Url;

use super::files::{Files, holds_its_content};

/// Nested blocks and imported sheets are followed this deep; deeper ones are left out.
const MAX_DEPTH: usize = 24;
const MAX_IMPORTS: usize = 4;
/// An address that makes no request.
const NOTHING: &str = "url(\"data:,\")";
/// Functions whose string argument is an address.
const PICTURES: [&str; 6] = [
    "cross-fade",
    "image",
    "image-set",
    "src",
    "-webkit-cross-fade",
    "-webkit-image-set",
];

/// Rewrites a style sheet or the value of a `style` attribute so that it makes no request: known files are inlined, other addresses emptied. `base`
/// is what its addresses are relative to.
pub(super) fn without_requests(css: &str, base: &Url, files: &Files<'_>) -> String {
    rewrite_sheet(css, base, files, 0)
}

/// Whether a text can hold an address or an import at all.
pub(super) fn may_request(css: &str) -> bool {
    css.contains('(') || css.contains('@')
}

/// Rewrites a sheet that lies `imports` levels below the page's own; also removes what could end the `style` element around it.
fn rewrite_sheet(css: &str, base: &Url, files: &Files<'_>, imports: usize) -> String {
    let mut rewriter = Rewriter {
        base,
        files,
        imports,
        out: String::with_capacity(css.len()),
    };
    rewriter.walk(&mut Parser::new(css), 0, false);
    // The sheet is in an element that it must not end early.
    rewriter.out.replace("</", "<\\/").replace("<!--", "")
}

/// Rewrites one style sheet; `out` is what has been written so far.
struct Rewriter<'a> {
    base: &'a Url,
    files: &'a Files<'a>,
    imports: usize,
    out: String,
}

impl Rewriter<'_> {
    /// Copies tokens to the output, replacing what would make a request. `depth` counts the blocks around them. `texts_ask`: a quoted string here is
    /// an address.
    fn walk(&mut self, parser: &mut Parser<'_>, depth: usize, texts_ask: bool) {
        loop {
            let start = parser.position();
            let Ok(token) = parser.next_including_whitespace_and_comments().cloned() else {
                return;
            };
            match token {
                Token::UnquotedUrl(address) => self.address(&address),
                Token::QuotedString(address) if texts_ask => self.address(&address),
                Token::BadUrl(_) | Token::BadString(_) => {}
                Token::AtKeyword(name) if name.eq_ignore_ascii_case("import") => self.import(parser),
                Token::Function(name) if name.eq_ignore_ascii_case("url") => self.quoted_address(parser),
                Token::Function(name) => {
                    let asks = PICTURES.iter().any(|known| name.eq_ignore_ascii_case(known));
                    self.out.push_str(parser.slice_from(start));
                    self.block(parser, depth, asks || texts_ask, ')');
                }
                Token::ParenthesisBlock => {
                    self.out.push('(');
                    self.block(parser, depth, texts_ask, ')');
                }
                Token::SquareBracketBlock => {
                    self.out.push('[');
                    self.block(parser, depth, false, ']');
                }
                Token::CurlyBracketBlock => {
                    self.out.push('{');
                    self.block(parser, depth, false, '}');
                }
                _ => self.out.push_str(parser.slice_from(start)),
            }
        }
    }

    /// Rewrites the rest of a nested block and closes it with `end`; the content of one deeper than [`MAX_DEPTH`] is left out.
    fn block(&mut self, parser: &mut Parser<'_>, depth: usize, texts_ask: bool, end: char) {
        let inner = parser.parse_nested_block(|inner| -> Result<(), ParseError<()>> {
            if depth < MAX_DEPTH {
                self.walk(inner, depth + 1, texts_ask);
            }
            Ok(())
        });
        // Fails only where a block was left out, whose rest is skipped anyway.
        let _ = inner;
        self.out.push(end);
    }

    /// Rewrites the rest of a `url("…")` function; one without a string becomes [`NOTHING`].
    fn quoted_address(&mut self, parser: &mut Parser<'_>) {
        let address = parser.parse_nested_block(|inner| -> Result<String, ParseError<()>> {
            let address = inner.expect_string()?.as_ref().to_owned();
            // Modifiers of future versions may follow.
            while inner.next_including_whitespace_and_comments().is_ok() {}
            Ok(address)
        });
        match address {
            Ok(address) => self.address(&address),
            Err(_) => self.out.push_str(NOTHING),
        }
    }

    /// Writes an address as `url(…)`: a fragment or `data:` address as it is, that of a known file as its content, any other as [`NOTHING`].
    fn address(&mut self, address: &str) {
        let inlined = if address.starts_with('#') || holds_its_content(address) {
            Some(address.to_owned())
        } else {
            self.base.join(address).ok().and_then(|url| self.files.data(&url))
        };
        match inlined {
            Some(address) => {
                self.out.push_str("url(");
                // Writing to a text cannot fail.
                let _ = serialize_string(&address, &mut self.out);
                self.out.push(')');
            }
            None => self.out.push_str(NOTHING),
        }
    }

    /// Replaces an `@import` by the known sheet, within its media query. Unknown sheets, those with layers or conditions, and those over
    /// [`MAX_IMPORTS`] levels are left out.
    fn import(&mut self, parser: &mut Parser<'_>) {
        let address = parser.expect_url_or_string().map(|address| address.as_ref().to_owned());
        let start = parser.position();
        let mut end = start;
        while let Ok(token) = parser.next_including_whitespace_and_comments() {
            if matches!(token, Token::Semicolon | Token::CurlyBracketBlock) {
                break;
            }
            end = parser.position();
        }
        let media = parser.slice(start..end).trim().to_owned();
        let Ok(url) = address
            .map_err(|_| ())
            .and_then(|text| self.base.join(&text).map_err(|_| ()))
        else {
            return;
        };
        // Only media conditions can become a media rule.
        let is_plain = !media.contains("layer") && !media.contains("supports");
        if self.imports >= MAX_IMPORTS || !is_plain {
            return;
        }
        if let Some(sheet) = self.files.style_sheet(&url) {
            let sheet = rewrite_sheet(sheet, &url, self.files, self.imports + 1);
            if media.is_empty() {
                self.out.push_str(&sheet);
            } else {
                let media = rewrite_sheet(&media, &url, self.files, self.imports + 1);
                for part in ["@media ", &media, "{", &sheet, "}"] {
                    self.out.push_str(part);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::files::PageFile;
    use super::*;

    fn rewritten(css: &str) -> String {
        let files = [
            PageFile {
                url: "https://a.example/s/p.png",
                mime: "image/png",
                bytes: b"PNG",
            },
            PageFile {
                url: "https://a.example/s/more.css",
                mime: "text/css",
                bytes: b"b{background:url(p.png)}",
            },
        ];
        let base = Url::parse("https://a.example/s/main.css").unwrap();
        without_requests(css, &base, &Files::new(&files))
    }

    #[test]
    fn known_files_stand_in_place_of_their_addresses() {
        let inlined = "url(\"data:image/png;from=https%3A%2F%2Fa%2Eexample%2Fs%2Fp%2Epng;base64,UE5H\")";
        for css in [
            "a{background:url(p.png) no-repeat}",
            "a{background:url( 'p.png' ) no-repeat}",
        ] {
            assert_eq!(rewritten(css), format!("a{{background:{inlined} no-repeat}}"), "{css}");
        }
        assert_eq!(
            rewritten("a{background:image-set('p.png' 1x)}"),
            format!("a{{background:image-set({inlined} 1x)}}")
        );
        assert_eq!(
            rewritten("@import 'more.css';c{d:e}"),
            format!("b{{background:{inlined}}}c{{d:e}}")
        );
        assert_eq!(
            rewritten("@import url(more.css) print;"),
            format!("@media print{{b{{background:{inlined}}}}}")
        );
    }

    #[test]
    fn nothing_else_asks_for_anything() {
        for css in [
            "a{background:url(//evil.example/x)}",
            "a{background:url('https://evil.example/x')}",
            "a{background:u\\72l(https://evil.example/x)}",
            "a{background:image-set(\"https://evil.example/x\" 2x)}",
            "a{background:-webkit-image-set(url(https://evil.example/x) 2x)}",
            "@import 'https://evil.example/x';",
            "@IMPORT url(https://evil.example/x) screen;",
            "@font-face{src:url(https://evil.example/x)format('woff')}",
            "@media print{a{cursor:url(https://evil.example/x),auto}}",
            "a{background:url(https://evil.example/x",
            "@\\69mport 'https://evil.example/x';",
            "a{background:src('https://evil.example/x')}",
        ] {
            let left = rewritten(css);
            assert!(!left.contains("evil.example"), "{css} gives {left}");
        }
    }

    #[test]
    fn what_asks_for_nothing_stays_as_it_is() {
        for css in [
            "a > b:not(.c)::after{content:\"url(x)\";width:calc(1px + 2em)}",
            "@media (max-width:600px){a{color:red/**/;margin:-1px auto}}",
            "a{fill:url(\"#gradient\")}",
            "a[href^='https://shop.example']{b:c}",
        ] {
            assert_eq!(rewritten(css), css);
        }
        assert_eq!(rewritten("a{fill:url(#gradient)}"), "a{fill:url(\"#gradient\")}");
    }

    #[test]
    fn a_sheet_cannot_end_its_element() {
        assert!(!rewritten("a{content:'</style><script>'}").contains("</style"));
    }

    #[test]
    fn deep_nests_are_left_out() {
        let css = "(".repeat(100_000);
        assert!(rewritten(&css).len() < 1_000);
    }
}

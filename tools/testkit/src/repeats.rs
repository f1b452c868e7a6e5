/// Set by `make test-whole`.
const WHOLE: &str = "VIGIE_TESTS_WHOLE";

/// How often a test repeats what it is about: `usual` among all tests, which have forty minutes together, and `whole` in `make test-whole`.
#[must_use]
pub fn repeats<Number>(usual: Number, whole: Number) -> Number {
    if std::env::var_os(WHOLE).is_some() {
        whole
    } else {
        usual
    }
}

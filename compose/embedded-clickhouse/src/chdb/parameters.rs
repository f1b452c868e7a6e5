use std::ffi::c_char;

/// Names and values of `{name:Type}` parameters as the arrays of the C interface; borrows the texts.
pub(super) struct Parameters<'a> {
    names: Vec<*const c_char>,
    name_lengths: Vec<usize>,
    values: Vec<*const c_char>,
    value_lengths: Vec<usize>,
    texts: std::marker::PhantomData<&'a str>,
}

impl<'a> Parameters<'a> {
    /// Builds the arrays of pointers and lengths that the library takes from pairs of name and value, in their order; they point into `pairs`.
    pub(super) fn new(pairs: &'a [(String, String)]) -> Self {
        Self {
            names: pairs.iter().map(|(name, _)| name.as_ptr().cast()).collect(),
            name_lengths: pairs.iter().map(|(name, _)| name.len()).collect(),
            values: pairs.iter().map(|(_, value)| value.as_ptr().cast()).collect(),
            value_lengths: pairs.iter().map(|(_, value)| value.len()).collect(),
            texts: std::marker::PhantomData,
        }
    }

    pub(super) fn names(&self) -> *const *const c_char {
        self.names.as_ptr()
    }

    pub(super) fn name_lengths(&self) -> *const usize {
        self.name_lengths.as_ptr()
    }

    pub(super) fn values(&self) -> *const *const c_char {
        self.values.as_ptr()
    }

    pub(super) fn value_lengths(&self) -> *const usize {
        self.value_lengths.as_ptr()
    }

    pub(super) fn count(&self) -> usize {
        self.names.len()
    }
}

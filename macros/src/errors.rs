//! A basket of errors: one run of the macro reports everything that it finds.

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::fmt::Display;

#[derive(Default)]
pub(crate) struct Errors {
    first: Option<syn::Error>,
    count: usize,
}

impl Errors {
    /// Adds an error that points at `place`.
    pub(crate) fn push(&mut self, place: impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(place, message));
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        self.count += 1;
        match &mut self.first {
            Some(first) => first.combine(error),
            None => self.first = Some(error),
        }
    }

    /// The value of a step, its error kept for later.
    pub(crate) fn keep<T>(&mut self, step: syn::Result<T>) -> Option<T> {
        step.map_err(|error| self.add(error)).ok()
    }

    /// How many errors there are so far: a difference tells whether a step added one.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The `compile_error!`s of all that was found.
    pub(crate) fn report(self) -> TokenStream {
        self.first
            .map(|first| first.into_compile_error())
            .unwrap_or_default()
    }
}

//! What holds for every expansion.

use crate::entry::{self, Face, Kind};
use crate::expand;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// A type, its main block and a handler, with most of what there is.
fn expansions(root: TokenStream) -> Vec<TokenStream> {
    let actor = quote! {
        #[deprecated]
        pub struct Cache<K, V: Debug, const N: usize = 4> where K: Hash { entries: Vec<(K, V)> }
    };
    let block = quote! {
        impl<K: Hash, V: Debug, const N: usize> Cache<K, V, N> where V: Clone {
            /// Gets.
            pub async fn get(&mut self, k: K, ctx: &mut Context<Self>) -> io::Result<V> { body() }
            #[cfg(unix)]
            fn parse<T: FromStr>(&self, #[cfg(unix)] text: String) -> Option<T> { body() }
            #[message]
            fn on_tick(&mut self, tick: Tick) {}
            #[on(start)]
            fn begin(&mut self) -> Result<(), Error> { body() }
            #[on(stop)]
            async fn end(&mut self, ctx: &mut Context<Self>, reason: ExitReason) {}
            pub fn broken(&self, text: &str, more: impl Debug) -> &str { body() }
        }
    };
    let handler = quote! {
        impl<K, V, const N: usize> Handler<Tock> for Cache<K, V, N> {
            fn handle(&mut self, tock: Tock) -> u8 { body() }
        }
    };
    let main = quote!(
        async fn main() {}
    );
    vec![
        expand::actor(quote!(mailbox = 4, name = "x", #root), actor),
        expand::actor(quote!(derive(Debug), #root), block),
        expand::actor(quote!(plain, #root), handler),
        remote(&root),
        entry::expand(Face::Greenroom, Kind::Main, root.clone(), main.clone()),
        entry::expand(Face::Greenroom, Kind::Test, root, main),
    ]
}

/// A block whose messages go to other processes.
fn remote(root: &TokenStream) -> TokenStream {
    let block = quote! {
        impl<K: Hash + Wire> Cache<K> {
            pub fn get(&mut self, k: K) -> Option<K> { body() }
            #[cfg(unix)]
            #[message(wire = "put-it")]
            async fn put(&self, #[cfg(unix)] #[wire(version = "1")] text: Text) { body() }
            #[message]
            fn on_tick(&mut self, tick: Tick) {}
        }
    };
    expand::actor(quote!(remote, #root), block)
}

fn words(tokens: TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => self::words(group.stream(), words),
            other => words.push(other.to_string()),
        }
    }
}

fn words_of(root: TokenStream) -> Vec<String> {
    let mut all = Vec::new();
    expansions(root)
        .into_iter()
        .for_each(|tokens| words(tokens, &mut all));
    all
}

#[test]
fn no_expansion_is_unsafe() {
    assert!(!words_of(quote!()).contains(&"unsafe".to_owned()));
}

#[test]
fn a_renamed_crate_is_never_called_by_its_own_name() {
    let renamed = words_of(quote!(crate = "stage"));
    assert!(renamed.contains(&"stage".to_owned()));
    assert!(!renamed.contains(&"greenroom".to_owned()));
}

#[test]
fn every_absolute_path_starts_at_core_or_the_crate() {
    let all = words_of(quote!());
    // A path is absolute if no name, `>` or `$` stands before its colons.
    let inner =
        |word: &str| word == ">" || word.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    for four in all.windows(4) {
        let [before, first, second, name] = four else {
            unreachable!("windows of four");
        };
        if first == ":" && second == ":" && !inner(before) && name != "<" {
            assert!(["core", "greenroom"].contains(&name.as_str()), "{four:?}");
        }
    }
}

#[test]
fn every_expansion_parses() {
    for tokens in expansions(quote!()) {
        let text = tokens.to_string();
        syn::parse2::<syn::File>(tokens).unwrap_or_else(|error| panic!("{error}: {text}"));
    }
}

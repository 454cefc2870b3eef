//! `#[greenroom::main]` and `#[greenroom::test]`.

use crate::errors::Errors;
use crate::setting::{Crate, Setting};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ItemFn, Lit, LitBool, Token, parse_quote};

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Main,
    Test,
}

#[derive(Clone, Copy, PartialEq)]
enum Flavor {
    CurrentThread,
    MultiThread,
}

struct Options {
    flavor: Flavor,
    worker_threads: Option<(Ident, Expr)>,
    start_paused: Option<(Ident, LitBool)>,
    seed: Option<(Ident, Expr)>,
    root: Crate,
}

// Input: #[greenroom::main(worker_threads = 2)] async fn main() -> Reply { body }
//
// Output:
//     fn main() -> Reply {
//         async fn main() -> Reply { body }
//         greenroom::Runtime::builder().multi_thread().worker_threads(2)
//             .build().expect("failed to build the runtime").block_on(main())
//     }
// A test has `#[test]` above it. The inner function, unlike an async block, has a return type of
// its own, so that what rustc says of the body is what it says of any function's.
pub(crate) fn expand(kind: Kind, arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(_) => {
            let message = format!("`#[greenroom::{}]` goes on an async function", kind.name());
            let error = syn::Error::new_spanned(&item, message).into_compile_error();
            return quote!(#error #item);
        }
    };
    let mut errors = Errors::default();
    let options = Options::read(kind, arguments, &mut errors);
    check(kind, &function, &mut errors);
    if errors.count() > 0 {
        return fallback(function, errors);
    }
    let block = body(&options, &function);
    function.sig.asyncness = None;
    function.block = Box::new(parse_quote!({ #block }));
    let test = kind.attribute();
    quote!(#test #function)
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Test => "test",
        }
    }

    fn attribute(self) -> Option<TokenStream> {
        (self == Self::Test).then(|| quote!(#[::core::prelude::v1::test]))
    }

    /// A program wants its cores; a test wants to be the same each time.
    fn flavor(self) -> Flavor {
        match self {
            Self::Main => Flavor::MultiThread,
            Self::Test => Flavor::CurrentThread,
        }
    }
}

fn check(kind: Kind, function: &ItemFn, errors: &mut Errors) {
    let sig = &function.sig;
    if sig.asyncness.is_none() {
        errors.push(sig.fn_token, "this function needs the keyword `async`");
    }
    if !sig.inputs.is_empty() {
        let message = format!("nobody could pass arguments to a {} function", kind.name());
        errors.push(&sig.inputs, message);
    }
    if kind == Kind::Main {
        return;
    }
    for attribute in &function.attrs {
        let last = attribute.path().segments.last();
        if last.is_some_and(|segment| segment.ident == "test") {
            errors.push(
                attribute,
                "this is a second test attribute: the test would run twice",
            );
        }
    }
}

/// The function without its body, so that callers find it.
fn fallback(mut function: ItemFn, errors: Errors) -> TokenStream {
    let errors = errors.report();
    function.sig.asyncness = None;
    function.sig.inputs.clear();
    function.block = parse_quote!({ ::core::unimplemented!() });
    function.attrs.clear();
    quote!(#errors #[allow(dead_code)] #function)
}

// Output:
//     async fn main() -> Reply { body }
//     Runtime::builder().multi_thread().build().expect(..).block_on(main())
fn body(options: &Options, function: &ItemFn) -> TokenStream {
    let root = options.root.root();
    let flavor = match options.flavor {
        Flavor::CurrentThread => quote!(.current_thread()),
        Flavor::MultiThread => quote!(.multi_thread()),
    };
    let workers = options.worker_threads.iter().map(|(_, value)| value);
    let paused = options.start_paused.iter().map(|(_, value)| value);
    let seed = options.seed.iter().map(|(_, value)| value);
    let (sig, block, name) = (&function.sig, &function.block, &function.sig.ident);
    quote! {
        #[allow(clippy::unused_async)]
        #sig #block
        #root::Runtime::builder()
            #flavor
            #(.worker_threads(#workers))*
            #(.start_paused(#paused))*
            #(.seed(#seed))*
            .build()
            .expect("failed to build the runtime")
            .block_on(#name())
    }
}

impl Options {
    fn read(kind: Kind, arguments: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self {
            flavor: kind.flavor(),
            worker_threads: None,
            start_paused: None,
            seed: None,
            root: Crate::default(),
        };
        let parser = Punctuated::<Setting, Token![,]>::parse_terminated;
        let settings = errors.keep(parser.parse2(arguments)).unwrap_or_default();
        let mut seen: Vec<&Ident> = Vec::new();
        for setting in &settings {
            if seen.contains(&&setting.key) {
                errors.push(&setting.key, format!("`{}` is given twice", setting.key));
            }
            seen.push(&setting.key);
            let step = options.set(setting);
            errors.keep(step);
        }
        options.check(errors);
        options
    }

    fn set(&mut self, setting: &Setting) -> syn::Result<()> {
        let key = setting.key.clone();
        match key.to_string().as_str() {
            "flavor" => self.flavor = flavor(setting)?,
            "worker_threads" => self.worker_threads = Some((key, threads(setting)?)),
            "start_paused" => self.start_paused = Some((key, truth(setting)?)),
            "seed" => self.seed = Some((key, setting.expr("seed = 7")?)),
            "crate" => self.root = Crate::read(setting)?,
            _ => {
                let message = format!(
                    "unknown option `{key}`; there are `flavor`, `worker_threads`, \
                     `start_paused`, `seed`, `crate`"
                );
                return Err(syn::Error::new_spanned(key, message));
            }
        }
        Ok(())
    }

    /// Options that only one flavor has.
    fn check(&self, errors: &mut Errors) {
        if let (Flavor::CurrentThread, Some((key, _))) = (self.flavor, &self.worker_threads) {
            let message = "`worker_threads` needs `flavor = \"multi_thread\"`";
            errors.push(key, message);
        }
        let paused = self.start_paused.as_ref().map(|(key, _)| key);
        let seed = self.seed.as_ref().map(|(key, _)| key);
        for key in paused.into_iter().chain(seed) {
            if self.flavor == Flavor::MultiThread {
                let message = format!("`{key}` needs `flavor = \"current_thread\"`");
                errors.push(key, message);
            }
        }
    }
}

fn flavor(setting: &Setting) -> syn::Result<Flavor> {
    let text = setting.text("flavor = \"current_thread\"")?;
    match text.value().as_str() {
        "current_thread" => Ok(Flavor::CurrentThread),
        "multi_thread" => Ok(Flavor::MultiThread),
        other => {
            let message =
                format!("unknown flavor `{other}`; there are `current_thread` and `multi_thread`");
            Err(syn::Error::new_spanned(text, message))
        }
    }
}

fn threads(setting: &Setting) -> syn::Result<Expr> {
    let value = setting.expr("worker_threads = 4")?;
    let Expr::Lit(ExprLit { lit, .. }) = &value else {
        return Ok(value);
    };
    match lit {
        Lit::Int(number) if number.base10_parse::<usize>().is_ok_and(|n| n > 0) => Ok(value),
        _ => {
            let message = "`worker_threads` takes a number of threads, at least one";
            Err(syn::Error::new_spanned(lit.to_token_stream(), message))
        }
    }
}

fn truth(setting: &Setting) -> syn::Result<LitBool> {
    match setting.expr("start_paused = true")? {
        Expr::Lit(ExprLit {
            lit: Lit::Bool(value),
            ..
        }) => Ok(value),
        other => Err(syn::Error::new_spanned(
            other,
            "write `start_paused = true`",
        )),
    }
}

//! The options in the attribute's parentheses.

use super::flavor::Flavor;
use super::{Face, Kind};
use crate::errors::Errors;
use crate::setting::{Crate, Setting};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, LitBool, LitStr, Token};

#[cfg(test)]
mod tests;

pub(super) struct Options {
    pub(super) face: Face,
    pub(super) flavor: Flavor,
    pub(super) worker_threads: Option<(Ident, Expr)>,
    pub(super) start_paused: Option<(Ident, LitBool)>,
    pub(super) seed: Option<(Ident, Expr)>,
    pub(super) name: Option<LitStr>,
    root: Option<Crate>,
    /// Where the flavor is named, if it is.
    named: Option<Ident>,
}

/// Features of the library, which it passes on to this crate.
#[derive(Clone, Copy)]
struct Features {
    rt_multi_thread: bool,
    test_util: bool,
}

impl Features {
    const BUILT: Self = Self {
        rt_multi_thread: cfg!(feature = "rt-multi-thread"),
        test_util: cfg!(feature = "test-util"),
    };
}

impl Options {
    pub(super) fn read(
        face: Face,
        kind: Kind,
        arguments: TokenStream,
        errors: &mut Errors,
    ) -> Self {
        let mut options = Self {
            face,
            flavor: Flavor::default_of(kind),
            worker_threads: None,
            start_paused: None,
            seed: None,
            name: None,
            root: None,
            named: None,
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
        options.check_features(Features::BUILT, errors);
        options
    }

    /// Where the library is: what `crate = ".."` says, or its usual name. tokio's is looked up
    /// where the attribute stands, as tokio does.
    pub(super) fn root(&self) -> TokenStream {
        match (&self.root, self.face) {
            (Some(root), _) => root.root().to_token_stream(),
            (None, Face::Greenroom) => Crate::default().root().to_token_stream(),
            (None, Face::Tokio) => quote!(tokio),
        }
    }

    fn set(&mut self, setting: &Setting) -> syn::Result<()> {
        let key = setting.key.clone();
        match (key.to_string().as_str(), self.face) {
            ("flavor", face) => {
                self.flavor = Flavor::read(face, setting)?;
                self.named = Some(key);
            }
            ("worker_threads", _) => self.worker_threads = Some((key, threads(setting)?)),
            ("start_paused", _) => self.start_paused = Some((key, truth(setting)?)),
            ("crate", _) => self.root = Some(Crate::read(setting)?),
            ("seed", Face::Greenroom) => self.seed = Some((key, setting.expr("seed = 7")?)),
            ("name", Face::Tokio) => self.name = Some(setting.text("name = \"..\"")?),
            (other, face) => return Err(syn::Error::new_spanned(&key, refusal(other, face))),
        }
        Ok(())
    }

    /// Options that only one flavor has.
    fn check(&self, errors: &mut Errors) {
        let is_multi_thread = self.flavor == Flavor::MultiThread;
        if let (false, Some((key, _))) = (is_multi_thread, &self.worker_threads) {
            let message = "`worker_threads` needs `flavor = \"multi_thread\"`";
            errors.push(key, message);
        }
        let paused = self.start_paused.as_ref().map(|(key, _)| key);
        let seed = self.seed.as_ref().map(|(key, _)| key);
        for key in paused.into_iter().chain(seed) {
            if is_multi_thread {
                let message = format!("`{key}` needs `flavor = \"current_thread\"`");
                errors.push(key, message);
            }
        }
    }

    /// What needs a feature of the library.
    fn check_features(&self, features: Features, errors: &mut Errors) {
        if self.flavor == Flavor::MultiThread && !features.rt_multi_thread {
            let message = "the flavor `multi_thread` needs the feature `rt-multi-thread`; without \
                           it, write `flavor = \"current_thread\"`";
            match &self.named {
                Some(key) => errors.push(key, message),
                None => errors.add(syn::Error::new(Span::call_site(), message)),
            }
        }
        // Under another flavor it can't be at all, which `check` has said.
        let fits = self.flavor != Flavor::MultiThread;
        if let (Some((key, _)), true, false) = (&self.start_paused, fits, features.test_util) {
            errors.push(key, "`start_paused` needs the feature `test-util`");
        }
    }
}

/// What to say about an option that there is not.
fn refusal(key: &str, face: Face) -> String {
    if key == "unhandled_panic" {
        return "there is no `unhandled_panic`: a task that panics ends alone, and its \
                `JoinHandle` says so"
            .to_owned();
    }
    if key.ends_with("threads") || key.contains("workers") {
        return format!("unknown option `{key}`; did you mean `worker_threads`?");
    }
    if let Some(flavor) = Flavor::meant(key) {
        return format!("unknown option `{key}`; did you mean `flavor = \"{flavor}\"`?");
    }
    let own = match face {
        Face::Greenroom => "seed",
        Face::Tokio => "name",
    };
    format!(
        "unknown option `{key}`; there are `flavor`, `worker_threads`, `start_paused`, `{own}`, \
         `crate`"
    )
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

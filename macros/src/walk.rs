//! Questions to the user's types, and changes of them.

use crate::names;
use proc_macro2::{Ident, Span};
use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Lifetime, Path, PathArguments, QSelf, Type, TypeParamBound};

/// Parentheses and the invisible groups of `macro_rules!` taken away.
pub(crate) fn bare(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

/// The last name of a path type: `io::Result<u8>` gives `Result`.
pub(crate) fn last_name(ty: &Type) -> Option<&Ident> {
    match bare(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// Whether it is a `&mut`.
pub(crate) fn is_exclusive(ty: &Type) -> bool {
    matches!(bare(ty), Type::Reference(reference) if reference.mutability.is_some())
}

/// The `T` of a `Delegated<T>`: a reply that comes later.
pub(crate) fn delegated(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = bare(ty) else {
        return None;
    };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(list) = &last.arguments else {
        return None;
    };
    match list.args.first()? {
        syn::GenericArgument::Type(inner) if last.ident == "Delegated" => Some(inner),
        _ => None,
    }
}

/// An `impl Stream<Item = T>`.
pub(crate) struct Streaming {
    /// The `T`, if it is given.
    pub(crate) item: Option<Type>,
    /// It says `+ use<..>` without a lifetime: it borrows nothing.
    pub(crate) detached: bool,
}

/// What a return type says, if it is an `impl Stream`.
pub(crate) fn streaming(ty: &Type) -> Option<Streaming> {
    let Type::ImplTrait(opaque) = bare(ty) else {
        return None;
    };
    let mut detached = false;
    let mut found = None;
    for bound in &opaque.bounds {
        match bound {
            TypeParamBound::Trait(bound) => {
                let last = bound.path.segments.last();
                found = found.or(last.filter(|last| last.ident == "Stream"));
            }
            TypeParamBound::PreciseCapture(capture) => {
                let lifetime = |param: &_| matches!(param, syn::CapturedParam::Lifetime(_));
                detached = !capture.params.iter().any(lifetime);
            }
            _ => {}
        }
    }
    let item = match &found?.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().find_map(|arg| match arg {
            syn::GenericArgument::AssocType(of) if of.ident == "Item" => Some(of.ty.clone()),
            _ => None,
        }),
        _ => None,
    };
    Some(Streaming { item, detached })
}

/// Replaces `Self` by the actor's type, since messages and handles have another `Self`.
pub(crate) struct ReplaceSelf<'a>(pub(crate) &'a Type);

impl ReplaceSelf<'_> {
    /// `Self::Item` becomes `<Actor>::Item`.
    fn qualify(&self, qself: &mut Option<QSelf>, path: &mut Path) {
        let starts = path.leading_colon.is_none()
            && path.segments.len() > 1
            && path.segments[0].ident == "Self";
        if qself.is_some() || !starts {
            return;
        }
        let rest: Vec<_> = path.segments.iter().skip(1).cloned().collect();
        *qself = Some(QSelf {
            lt_token: Default::default(),
            ty: Box::new(self.0.clone()),
            position: 0,
            as_token: None,
            gt_token: Default::default(),
        });
        path.leading_colon = Some(Default::default());
        path.segments = rest.into_iter().collect();
    }
}

impl VisitMut for ReplaceSelf<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty {
            if path.qself.is_none() && path.path.is_ident("Self") {
                *ty = self.0.clone();
                return;
            }
            self.qualify(&mut path.qself, &mut path.path);
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        self.qualify(&mut path.qself, &mut path.path);
        visit_mut::visit_expr_path_mut(self, path);
    }
}

/// Turns the named lifetimes, or all of them, into `'static`.
pub(crate) enum MakeStatic {
    All,
    These(Vec<Lifetime>),
}

impl VisitMut for MakeStatic {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        let hit = match self {
            Self::All => true,
            Self::These(these) => these.contains(lifetime),
        };
        if hit {
            *lifetime = Lifetime::new("'static", lifetime.span());
        }
    }

    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        if let (Self::All, None) = (&self, &reference.lifetime) {
            reference.lifetime = Some(Lifetime::new("'static", reference.and_token.span));
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    // Lifetimes of function pointers and `Fn(..)` are their own affair.
    fn visit_type_bare_fn_mut(&mut self, _: &mut syn::TypeBareFn) {}
    fn visit_parenthesized_generic_arguments_mut(
        &mut self,
        _: &mut syn::ParenthesizedGenericArguments,
    ) {
    }
    fn visit_trait_bound_mut(&mut self, bound: &mut syn::TraitBound) {
        if bound.lifetimes.is_none() {
            visit_mut::visit_trait_bound_mut(self, bound);
        }
    }
}

/// What keeps a type out of a message or reply.
pub(crate) enum Flaw {
    /// A reference that is not `'static`, with what it refers to.
    Reference(Span, Box<Type>),
    /// A lifetime other than `'static`.
    Lifetime(Span),
    /// `impl Trait`.
    Opaque(syn::TypeImplTrait),
}

/// The first flaw of a type.
pub(crate) fn flaw(ty: &Type) -> Option<Flaw> {
    let mut finder = FlawFinder::default();
    finder.visit_type(ty);
    finder.found
}

#[derive(Default)]
struct FlawFinder {
    found: Option<Flaw>,
    /// Lifetimes that an enclosing `for<..>` brings.
    bound: Vec<Lifetime>,
}

impl FlawFinder {
    fn find(&mut self, flaw: Flaw) {
        self.found.get_or_insert(flaw);
    }

    fn is_free(&self, lifetime: &Lifetime) -> bool {
        lifetime.ident != "static" && !self.bound.contains(lifetime)
    }
}

impl<'ast> Visit<'ast> for FlawFinder {
    fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
        let free = match &reference.lifetime {
            Some(lifetime) => self.is_free(lifetime),
            None => true,
        };
        if free {
            let span = match &reference.lifetime {
                Some(lifetime) if lifetime.ident != "_" => lifetime.span(),
                _ => reference.and_token.span,
            };
            self.find(Flaw::Reference(span, reference.elem.clone()));
        }
        visit::visit_type_reference(self, reference);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        if self.is_free(lifetime) {
            self.find(Flaw::Lifetime(lifetime.span()));
        }
    }

    fn visit_type_impl_trait(&mut self, opaque: &'ast syn::TypeImplTrait) {
        self.find(Flaw::Opaque(opaque.clone()));
    }

    fn visit_trait_bound(&mut self, bound: &'ast syn::TraitBound) {
        let outer = self.bound.len();
        for param in bound.lifetimes.iter().flat_map(|list| &list.lifetimes) {
            if let syn::GenericParam::Lifetime(param) = param {
                self.bound.push(param.lifetime.clone());
            }
        }
        self.visit_path(&bound.path);
        self.bound.truncate(outer);
    }

    fn visit_type_bare_fn(&mut self, _: &'ast syn::TypeBareFn) {}
    fn visit_parenthesized_generic_arguments(
        &mut self,
        _: &'ast syn::ParenthesizedGenericArguments,
    ) {
    }
}

/// Which of some parameters occur in types, and which of these have their bounds asked of them,
/// as `I::Item` does.
pub(crate) struct Uses<'a> {
    pub(crate) params: &'a [Ident],
    pub(crate) used: HashSet<Ident>,
    pub(crate) projected: bool,
}

impl<'a> Uses<'a> {
    pub(crate) fn new(params: &'a [Ident]) -> Self {
        Self {
            params,
            used: HashSet::new(),
            projected: false,
        }
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        let first = path.segments.first().map(|segment| &segment.ident);
        let first = first.filter(|ident| self.params.contains(ident));
        if let (None, Some(ident)) = (path.leading_colon, first) {
            self.used.insert(ident.clone());
            self.projected |= path.segments.len() > 1;
        }
        visit::visit_path(self, path);
    }

    fn visit_qself(&mut self, qself: &'ast QSelf) {
        self.projected = true;
        visit::visit_qself(self, qself);
    }

    fn visit_macro(&mut self, found: &'ast syn::Macro) {
        let taken = crate::names::Taken::by(&found.tokens);
        let used = self
            .params
            .iter()
            .filter(|param| taken.has(&param.to_string()));
        self.used.extend(used.cloned());
    }
}

/// Whether this is the context: `&mut Context<Self>`, `&greenroom::Context<Self>`.
pub(crate) fn is_context(ty: &Type) -> bool {
    let Type::Reference(reference) = bare(ty) else {
        return false;
    };
    let Type::Path(path) = bare(&reference.elem) else {
        return false;
    };
    let Some(last) = path.path.segments.last() else {
        return false;
    };
    // `task::Context<'_>` has lifetimes only, ours has the actor's type.
    let ours = match &last.arguments {
        PathArguments::AngleBracketed(list) => {
            let is_type = |arg: &_| matches!(arg, syn::GenericArgument::Type(_));
            list.args.iter().any(is_type)
        }
        _ => true,
    };
    is_context_name(&last.ident) && ours
}

/// Whether this is a context that lacks its `&mut`: `Context<Self>`.
pub(crate) fn is_owned_context(ty: &Type) -> bool {
    let Type::Path(path) = bare(ty) else {
        return false;
    };
    path.path.segments.last().is_some_and(|last| {
        let arguments = names::written(&last.arguments);
        is_context_name(&last.ident) && arguments.replace(' ', "") == "<Self>"
    })
}

/// The name of any actor's, or of a local one's.
fn is_context_name(name: &Ident) -> bool {
    name == "Context" || name == "LocalContext"
}

/// `()`.
pub(crate) fn is_unit(ty: &Type) -> bool {
    matches!(bare(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

//! Which parameters and bounds the type of a message needs.

use crate::model::{Block, Message};
use crate::names;
use crate::walk::Uses;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::{GenericParam, Generics, TraitBoundModifier, TypeParam, TypeParamBound, WherePredicate};

/// The generics of a message's own type.
pub(crate) struct Own {
    pub(crate) generics: Generics,
    /// Type parameters that no field mentions.
    pub(crate) unmentioned: Vec<Ident>,
}

impl Own {
    /// Only the parameters that occur in the fields, and those of the method, which the handler
    /// could not know otherwise.
    pub(crate) fn of(block: &Block, message: &Message) -> Self {
        let all = joined(&block.generics, &message.generics);
        let names: Vec<Ident> = all.params.iter().filter_map(name).collect();
        let mut uses = Uses::new(&names);
        message.fields().for_each(|(_, _, ty)| uses.visit_type(ty));
        let mentioned = uses.used.clone();
        uses.used
            .extend(message.generics.params.iter().filter_map(name));
        if uses.projected {
            add_bounded(&all, &mut uses);
        }
        let kept = |param: &&GenericParam| name(param).is_some_and(|n| uses.used.contains(&n));
        let params = all.params.iter().filter(kept).cloned();
        let mut generics = Generics {
            params: params.collect(),
            ..Generics::default()
        };
        let bounds = where_clause(&all, &names, &uses);
        generics.where_clause = bounds;
        if !uses.projected {
            generics.params.iter_mut().for_each(drop_bounds);
        }
        let is_type = |param: &&GenericParam| matches!(param, GenericParam::Type(_));
        let types = generics.params.iter().filter(is_type).filter_map(name);
        let unmentioned = types.filter(|name| !mentioned.contains(name)).collect();
        Self {
            generics,
            unmentioned,
        }
    }

    /// The hidden field that mentions the rest, without the name.
    pub(crate) fn marker(&self) -> Option<TokenStream> {
        let types = &self.unmentioned;
        let marker = quote!(::core::marker::PhantomData<(#(fn() -> #types,)*)>);
        (!types.is_empty()).then_some(marker)
    }
}

/// The parameters and bounds of the block and of one method of it.
pub(crate) fn joined(block: &Generics, method: &Generics) -> Generics {
    let mut all = block.clone();
    all.params.extend(method.params.iter().cloned());
    if let Some(bounds) = &method.where_clause {
        let predicates = bounds.predicates.iter().cloned();
        all.make_where_clause().predicates.extend(predicates);
    }
    all
}

/// The name of a type or const parameter.
pub(crate) fn name(param: &GenericParam) -> Option<Ident> {
    match param {
        GenericParam::Type(param) => Some(param.ident.clone()),
        GenericParam::Const(param) => Some(param.ident.clone()),
        GenericParam::Lifetime(_) => None,
    }
}

/// Adds the parameters that the bounds of used ones mention, until there are no more.
fn add_bounded(all: &Generics, uses: &mut Uses<'_>) {
    loop {
        let before = uses.used.len();
        for param in &all.params {
            if name(param).is_some_and(|name| uses.used.contains(&name)) {
                uses.visit_generic_param(param);
            }
        }
        let clause = all.where_clause.iter();
        for predicate in clause.flat_map(|clause| &clause.predicates) {
            if let WherePredicate::Type(bound) = predicate {
                let mut of = Uses::new(uses.params);
                of.visit_type(&bound.bounded_ty);
                if !of.used.is_disjoint(&uses.used) {
                    uses.visit_where_predicate(predicate);
                }
            }
        }
        if uses.used.len() == before {
            return;
        }
    }
}

/// The predicates that speak of kept parameters alone: all of them if a field needs bounds, else
/// only `?Sized`.
fn where_clause(all: &Generics, names: &[Ident], uses: &Uses<'_>) -> Option<syn::WhereClause> {
    let mut clause = all.where_clause.clone()?;
    let predicates = clause.predicates.into_iter().filter_map(|mut predicate| {
        let mut mentions = Uses::new(names);
        mentions.visit_where_predicate(&predicate);
        let inside = !mentions.used.is_empty() && mentions.used.is_subset(&uses.used);
        if let (WherePredicate::Type(ty), false) = (&mut predicate, uses.projected) {
            ty.bounds = std::mem::take(&mut ty.bounds)
                .into_iter()
                .filter(is_maybe)
                .collect();
            return (inside && !ty.bounds.is_empty()).then_some(predicate);
        }
        inside.then_some(predicate)
    });
    clause.predicates = predicates.collect();
    (!clause.predicates.is_empty()).then_some(clause)
}

/// Bounds but `?Sized` would have to be repeated wherever the message is named.
fn drop_bounds(param: &mut GenericParam) {
    if let GenericParam::Type(TypeParam {
        bounds, default, ..
    }) = param
    {
        *bounds = std::mem::take(bounds)
            .into_iter()
            .filter(is_maybe)
            .collect();
        *default = None;
    }
}

fn is_maybe(bound: &TypeParamBound) -> bool {
    match bound {
        TypeParamBound::Trait(bound) => matches!(bound.modifier, TraitBoundModifier::Maybe(_)),
        _ => false,
    }
}

/// `<K, V, R: Route>`: the parameters with one more, for use after `impl` or a name.
pub(crate) fn with(generics: &Generics, param: GenericParam) -> Generics {
    let mut generics = generics.clone();
    generics.params.push(param);
    generics
}

/// The type that a message is, with its arguments.
pub(crate) fn message_type(block: &Block, message: &Message) -> TokenStream {
    let foreign = message.foreign.as_ref().and(message.fields().next());
    if let Some((_, _, ty)) = foreign {
        return ty.to_token_stream();
    }
    let name = &message.name;
    let own = Own::of(block, message).generics;
    let (_, arguments, _) = own.split_for_impl();
    let arguments = names::placed(arguments.to_token_stream(), message.span());
    quote!(#name #arguments)
}

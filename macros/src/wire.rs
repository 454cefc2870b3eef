//! `derive(Wire)`: what a type is made of.

use crate::errors::Errors;
use crate::names;
use crate::setting::{Crate, Place};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Generics, LitStr, Type, parse_quote};

/// The whole of `#[derive(Wire)]`.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    for lifetime in input.generics.lifetimes() {
        errors.push(lifetime, "what goes to another process owns what it holds");
    }
    let root = root(&input.attrs, &mut errors);
    let body = body(&input, &mut errors);
    if errors.count() > 0 {
        return errors.report();
    }
    let private = root.private(names::at(input.ident.span()));
    let name = &input.ident;
    let (_, arguments, _) = input.generics.split_for_impl();
    implement(&private, &input.generics, &quote!(#name #arguments), &body)
}

// Output: impl<T: Wire> Wire for Pair<T> { fn describe(schema: &mut Schema<'_>) { .. } }
pub(crate) fn implement(
    private: &TokenStream,
    generics: &Generics,
    ty: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let mut generics = generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(#private::Wire));
    }
    let (params, _, bounds) = generics.split_for_impl();
    let schema = schema();
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #params #private::Wire for #ty #bounds {
            fn describe(#schema: &mut #private::Schema<'_>) {
                #body
            }
        }
    }
}

/// The parameter of `describe`.
pub(crate) fn schema() -> Ident {
    Ident::new("schema", Span::mixed_site())
}

/// A field with a name: `schema.field::<u64>("n");`, or what its user says of its type.
pub(crate) fn field(name: &Ident, ty: &Type, version: Option<&LitStr>) -> TokenStream {
    let (schema, text) = (schema(), name.unraw().to_string());
    let span = names::at(ty.span());
    match version {
        None => quote_spanned!(span=> #schema.field::<#ty>(#text);),
        Some(version) => quote_spanned!(span=> #schema.version(#text, #version);),
    }
}

fn body(input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let schema = schema();
    let outer = notes(&input.attrs);
    let parts = match &input.data {
        Data::Struct(data) => {
            let kind = kind(&data.fields);
            let fields = fields(&data.fields, errors);
            quote!(#schema.kind(#kind); #fields)
        }
        Data::Enum(data) => {
            let variants = data.variants.iter().map(|variant| {
                let (name, notes) = (variant.ident.unraw().to_string(), notes(&variant.attrs));
                let kind = kind(&variant.fields);
                let fields = fields(&variant.fields, errors);
                quote!(#notes #schema.variant(#name); #schema.kind(#kind); #fields)
            });
            let variants: Vec<_> = variants.collect();
            quote!(#schema.kind("enum"); #(#variants)*)
        }
        Data::Union(data) => {
            errors.push(data.union_token, "a union does not say what it holds");
            TokenStream::new()
        }
    };
    quote!(#outer #parts)
}

fn kind(fields: &Fields) -> &'static str {
    match fields {
        Fields::Named(_) => "struct",
        Fields::Unnamed(_) => "tuple struct",
        Fields::Unit => "unit struct",
    }
}

fn fields(fields: &Fields, errors: &mut Errors) -> TokenStream {
    let each = fields.iter().map(|part| {
        let notes = notes(&part.attrs);
        let version = version(&part.attrs, errors);
        match is_skipped(part) {
            true => notes,
            false => {
                let part = self::part(part, version.as_ref());
                quote!(#notes #part)
            }
        }
    });
    each.collect()
}

fn part(part: &Field, version: Option<&LitStr>) -> TokenStream {
    let (schema, ty) = (schema(), &part.ty);
    let span = names::at(ty.span());
    match (&part.ident, version) {
        (Some(name), version) => field(name, ty, version),
        (None, None) => quote_spanned!(span=> #schema.part::<#ty>();),
        (None, Some(version)) => quote_spanned!(span=> #schema.version("", #version);),
    }
}

/// serde's attributes, by their text: they say what is sent.
fn notes(attributes: &[Attribute]) -> TokenStream {
    let schema = schema();
    let serdes = attributes.iter().filter(|a| a.path().is_ident("serde"));
    let notes = serdes.map(|attribute| {
        let text = names::written(attribute.meta.to_token_stream());
        quote!(#schema.note(#text);)
    });
    notes.collect()
}

/// Whether serde leaves it out both ways.
fn is_skipped(field: &Field) -> bool {
    let mut serdes = field.attrs.iter().filter(|a| a.path().is_ident("serde"));
    serdes.any(|attribute| {
        let mut skips = false;
        // What else stands there is serde's to check.
        let _ = attribute.parse_nested_meta(|meta| {
            skips |= meta.path.is_ident("skip");
            Ok(())
        });
        skips
    })
}

/// `#[wire(version = "..")]`: of a type that says nothing of itself.
pub(crate) fn version(attributes: &[Attribute], errors: &mut Errors) -> Option<LitStr> {
    let mut version = None;
    for setting in settings(Place::WireField, attributes, errors) {
        version = errors.keep(setting.text("version = \"..\""));
    }
    version
}

/// `#[wire(crate = "..")]` on the type.
fn root(attributes: &[Attribute], errors: &mut Errors) -> Crate {
    let mut root = Crate::default();
    for setting in settings(Place::WireType, attributes, errors) {
        root = errors.keep(Crate::read(&setting)).unwrap_or_default();
    }
    root
}

fn settings(
    place: Place,
    attributes: &[Attribute],
    errors: &mut Errors,
) -> Vec<crate::setting::Setting> {
    let mut all = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("wire")) {
        let step = attribute.meta.require_list().cloned();
        if let Some(list) = errors.keep(step) {
            all.extend(place.settings(list.tokens, errors));
        }
    }
    all
}

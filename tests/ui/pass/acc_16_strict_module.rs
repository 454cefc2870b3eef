//! A module that shadows the prelude and denies what lints there are.

#![deny(missing_docs, missing_debug_implementations, unused, deprecated)]
#![deny(single_use_lifetimes, unused_qualifications, elided_lifetimes_in_paths)]
#![deny(
    let_underscore_drop,
    trivial_casts,
    unused_lifetimes,
    non_local_definitions
)]
#![deny(clippy::all, clippy::pedantic)]

/// The actors of a user with strong views.
#[allow(dead_code, clippy::unused_async, clippy::unused_self)]
pub mod strict {
    use greenroom::{Context, ExitReason, Handler, actor};

    /// Hides the prelude's.
    #[derive(Debug)]
    pub struct Result;
    /// Hides the prelude's.
    #[derive(Debug)]
    pub struct Option;
    /// Hides the prelude's.
    pub trait Send {}
    /// Hides the prelude's.
    pub trait Sync {}
    /// Hides the prelude's.
    pub trait Clone {}
    /// Hides the prelude's.
    #[derive(Debug)]
    pub struct Box;
    /// Hides the prelude's.
    #[derive(Debug)]
    pub struct String;
    /// Hides the prelude's.
    pub trait Future {}
    /// Hides the prelude's.
    pub trait From {}
    /// Hides the prelude's.
    pub trait Drop {}
    /// Hides the prelude's.
    pub trait FnOnce {}
    /// Hides the prelude's.
    pub trait PartialEq {}
    /// Hides the prelude's.
    #[derive(Debug)]
    pub struct Ok;
    /// Hides the primitive.
    #[allow(non_camel_case_types)]
    #[derive(Debug)]
    pub struct bool;
    /// Hides the prelude's.
    #[derive(Debug)]
    pub struct Request;
    /// Would be taken for a route.
    #[derive(Debug)]
    pub struct R;
    /// Would be taken for a hasher.
    #[derive(Debug)]
    pub struct H;
    /// Hides the crate.
    pub mod core {}
    /// Hides the crate.
    pub mod std {}

    /// A counter.
    #[actor(mailbox = 8, name = "strict")]
    #[derive(Debug)]
    pub struct Counter {
        /// How many.
        pub count: u64,
    }

    #[actor]
    impl Counter {
        /// Adds `n`.
        pub async fn add(&mut self, n: u64) -> u64 {
            self.count += n;
            self.count
        }

        /// Takes what looks like a route.
        pub async fn route(&mut self, r: R) -> R {
            r
        }

        /// Starts again.
        pub fn reset(&mut self, _ctx: &mut Context<Self>) {
            self.count = 0;
        }

        /// Parses what it is given.
        pub fn parse<T: ::core::marker::Send + 'static>(&mut self) -> u64 {
            ::core::mem::size_of::<T>() as u64
        }

        /// Does not use its argument.
        pub fn ignore(&mut self, _unused: u64, flag: ::core::primitive::bool) {
            let _ = flag;
        }

        /// Was better once.
        #[deprecated(note = "use `add`")]
        pub fn increment(&mut self) {
            self.count += 1;
        }

        fn own_secret(&mut self) {
            self.count += 1;
        }

        /// Uses the private one.
        #[message]
        pub fn on_tick(&mut self, _: Tick) {
            self.own_secret();
        }

        #[on(start)]
        async fn begin(&mut self) {
            self.count += 1;
        }

        #[on(stop)]
        async fn end(&mut self, _reason: ExitReason) {
            self.count += 1;
        }
    }

    /// A tick.
    #[derive(Debug)]
    pub struct Tick;

    /// A tock.
    #[derive(Debug)]
    pub struct Tock;

    #[actor]
    impl Handler<Tock> for Counter {
        fn handle(&mut self, _tock: Tock) -> u64 {
            self.count
        }
    }

    /// Secret state.
    #[actor]
    #[derive(Debug)]
    pub(crate) struct Vault<H> {
        pub(crate) held: H,
    }

    #[actor]
    impl<H: ::core::marker::Send + ::core::clone::Clone + 'static> Vault<H> {
        pub(crate) fn get(&self) -> H {
            self.held.clone()
        }
    }
}

use strict::{Counter, CounterAdd, Vault};

#[greenroom::main]
async fn main() {
    let counter = Counter { count: 0 }.spawn();
    counter.add(1).await.expect("lives");
    counter.route(strict::R).await.expect("lives");
    counter.reset().await.expect("lives");
    counter.ask(CounterAdd { n: 1 }).await.expect("lives");
    counter.ask(strict::Tick).await.expect("lives");
    assert_eq!(counter.ask(strict::Tock).await.expect("lives"), 2);
    assert_eq!(counter.parse::<u16>().await.expect("lives"), 2);
    let vault = Vault { held: 1 }.spawn();
    assert_eq!(vault.get().await.expect("lives"), 1);
}

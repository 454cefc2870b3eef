//! The attribute macros of greenroom. Use them as `greenroom::actor`, `greenroom::main` and
//! `greenroom::test`; this crate is not meant to be depended on directly.

#![forbid(unsafe_code)]

mod args;
mod attrs;
mod check;
mod entry;
mod errors;
mod expand;
mod fallback;
mod generics;
mod model;
mod names;
mod parse;
mod policy;
mod setting;
#[cfg(test)]
mod tests;
mod walk;
mod wire;

use proc_macro::TokenStream;

/// Makes a type an actor, and its methods the messages that it understands.
///
/// It stands on the struct or enum, which says what the actor *is*, and on its main impl block,
/// which says what it *understands*:
///
/// ```
/// use greenroom::{Context, actor};
///
/// /// A shared counter.
/// #[actor(mailbox = 64)]
/// pub struct Counter {
///     count: u64,
/// }
///
/// #[actor]
/// impl Counter {
///     /// Adds `n`, returns the new count.
///     pub async fn add(&mut self, n: u64) -> u64 {
///         self.count += n;
///         self.count
///     }
///
///     pub fn reset(&mut self, ctx: &mut Context<Self>) {
///         self.count = 0;
///     }
/// }
///
/// # #[greenroom::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let counter = Counter { count: 0 }.spawn(); // a `CounterHandle`
/// counter.add(2).await?;                      // asks, and waits for the reply
/// counter.ask(CounterAdd { n: 3 }).await?;    // the same, by message value
/// counter.reset().tell().await?;              // sends, and does not wait for a reply
/// # Ok(())
/// # }
/// ```
///
/// A call such as `counter.add(2)` only makes a request: until it is awaited, nothing is sent.
///
/// # What is generated
///
/// | for | item |
/// | --- | --- |
/// | the type | `CounterHandle`, as visible as the type, which derefs to `Handle<Counter>` |
/// | the type | `Counter::spawn` |
/// | a method | the message `CounterAdd { n }` and the handle's method `add`, as visible as it |
/// | a method | `impl Handler<CounterAdd> for Counter` |
///
/// Every method with a receiver is a message, `pub` or not. Functions without a receiver, such as
/// `new`, are left alone; so are the methods of plain impl blocks. The methods stay what they are,
/// and the actor's own code may call them.
///
/// The handle's methods hide those of `Handle`: with a method `stop` of your own,
/// `Handle::stop(&counter)` still stops the actor. Only four names are taken: the handle needs its
/// own `ask`, `tell` and `clone`, and the actor its `spawn`. `#[message(method = other)]` gives
/// such a method another name on the handle; for `spawn`, say `#[actor(spawn = start)]` on the type
/// as well.
///
/// # What a method may look like
///
/// - It takes `&mut self` or `&self`, and is async or not. An async method with `&self` that
///   awaits needs an actor that is `Sync`.
/// - Its arguments are owned, since they move to the actor. References must be `'static`;
///   function pointers and `Fn(&T)` may have them in their own signature.
/// - One argument may be `ctx: &mut Context<Self>` or `&Context<Self>`, anywhere in the list. It is
///   no part of the message. It is found by the last name of its type, `Context`: a renamed import
///   is taken for an argument.
/// - It may have type and const parameters. A parameter that no argument mentions is hidden in the
///   message, which then has a `new`.
/// - It returns an owned value. If the last name of the return type is `Result`, the request gives
///   `Result<T, AskError<E>>` and not a result in a result. An alias of another name needs
///   `#[message(result)]`:
///
///   ```
///   # use greenroom::{AskError, actor};
///   # #[actor]
///   # struct Parser;
///   type Parsed = Result<u64, std::num::ParseIntError>;
///
///   #[actor]
///   impl Parser {
///       #[message(result)]
///       fn parse(&self, text: String) -> Parsed {
///           text.parse()
///       }
///   }
///
///   # #[greenroom::main]
///   # async fn main() {
///   # let parser = Parser.spawn();
///   let error = parser.parse("seven".into()).await.expect_err("it is no number");
///   assert!(matches!(error, AskError::Handler(_))); // with the `ParseIntError` in it
///   # }
///   ```
///
/// A method that answers later returns a `Delegated<T>` or `Delegated<Result<T, E>>`, known by the
/// last name; its `ReplyTo<T>` has the request give the `T`. One that returns
/// `impl Stream<Item = T>` lasts as long as its stream, and the request gives a `ReplyStream<T>`;
/// with `+ use<>`, or `+ use<K, V>` for type parameters, the stream runs beside the actor.
///
/// # Type parameters
///
/// The impl block says what they need, mostly `Send + 'static`; the type itself need not:
///
/// ```
/// # use greenroom::actor;
/// #[actor]
/// pub struct Stack<T = String> {
///     items: Vec<T>,
/// }
///
/// #[actor]
/// impl<T: Send + 'static> Stack<T> {
///     fn push(&mut self, item: T) -> usize {
///         self.items.push(item);
///         self.items.len()
///     }
/// }
///
/// # #[greenroom::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let words: StackHandle = Stack { items: vec![] }.spawn(); // a `StackHandle<String>`
/// let bytes: StackHandle<u8> = Stack { items: vec![1] }.spawn();
/// words.push("a".into()).await?;
/// assert_eq!(bytes.push(2).await?, 2);
/// # Ok(())
/// # }
/// ```
///
/// Defaults hold for the type and its handle, but an `#[actor]` block names every argument:
/// `impl Stack<String>`, not `impl Stack`.
///
/// # What is copied
///
/// `cfg`, docs, `deprecated` and lint levels of a method go to what is made from it, `cfg` of an
/// argument too. `Self` means the actor everywhere.
///
/// # Options
///
/// On the type:
///
/// | option | meaning |
/// | --- | --- |
/// | `mailbox = 64` | how many messages may wait |
/// | `name = ".."` | what the actor is called in traces, in place of its type's name |
/// | `spawn = start` | another name for `spawn` |
/// | `inline = never` | asks never run on their asker's stack, but for messages that say so |
/// | `overflow = reject` | what becomes of messages that find no room: `guarantees` has the table |
/// | `mailbox_bytes = 1_000_000` | how many bytes the messages that wait may count together |
/// | `blocking`; `local` | it has a thread of its own; it is made there, and need not be `Send` |
/// | `crate = "path"` | where greenroom is, if it is not `::greenroom`; also on impl blocks |
///
/// On an impl block:
///
/// | option | meaning |
/// | --- | --- |
/// | `extend` | a further block, beside the main one |
/// | `remote` | its messages come from other processes, too (feature `remote`) |
/// | `derive(Clone, ..)` | derives of all messages made here |
/// | `prefix = ".."` | the start of the messages' names, in place of the actor's; may be empty |
/// | `local` | as on the type; its contexts are `LocalContext<Self>` |
/// | `fork` | it lives in worlds, and forks; or `= shared`, `= refuse` (feature `world`) |
///
/// On a method, as `#[message(..)]`:
///
/// | option | meaning |
/// | --- | --- |
/// | `skip` | an ordinary method |
/// | `name = Add` | the name of the message |
/// | `method = put` | the name of the handle's method |
/// | `derive(Clone, ..)` | derives of the message |
/// | `plain` | a `Result` comes back as it is, inside the ask's own |
/// | `result` | the reply is a `Result` under another name |
/// | `inline = always` | an ask may run on its asker's stack, however long it takes; or `= never` |
/// | `detached` | a queued ask is handled although its asker has gone, or its deadline passed |
/// | `lane = urgent` | taken before others; or `= background`, when nothing else waits |
/// | `overflow = latest(user)` | what becomes of it where it finds no room, not its actor's |
/// | `bytes = data.len()` | what it counts against `mailbox_bytes`; arguments are references |
/// | `wire = ".."` | the name on the wire, in place of the method's |
/// | `reentrant` | with `&self`: runs beside others of the kind that are at an `.await` |
///
/// # Further blocks
///
/// A block beside the main one says `extend`; else rustc reports E0119, of two impls of `Actor`. A
/// `prefix` keeps the names of messages apart, or makes them short:
///
/// ```
/// # use greenroom::actor;
/// # #[actor]
/// # struct Counter(u64);
/// # #[actor]
/// # impl Counter {}
/// #[actor(extend, prefix = "")]
/// impl Counter {
///     fn get(&self) -> u64 {
///         self.0
///     }
/// }
///
/// # #[greenroom::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// # let counter = Counter(7).spawn();
/// assert_eq!(counter.ask(Get).await?, 7); // instead of `CounterGet`
/// # Ok(()) }
/// ```
///
/// # Existing types as messages
///
/// `#[message]` without options says that the one argument is itself the message:
///
/// ```
/// # use greenroom::actor;
/// # #[actor]
/// # struct Counter(u64);
/// pub struct Tick;
///
/// #[actor]
/// impl Counter {
///     #[message]
///     async fn on_tick(&mut self, tick: Tick) {
///         self.0 += 1;
///     }
/// }
///
/// # #[greenroom::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// # let counter = Counter(0).spawn();
/// counter.ask(Tick).await?;
/// # Ok(()) }
/// ```
///
/// The other way is an impl of `Handler`. Under `#[actor]` it needs no associated types, may be
/// sync, and may leave out the context; `plain` and `result` are options here:
///
/// ```
/// # use greenroom::{Handler, actor};
/// # pub struct Tick;
/// # #[actor]
/// # struct Counter(u64);
/// # #[actor]
/// # impl Counter {}
/// #[actor]
/// impl Handler<Tick> for Counter {
///     fn handle(&mut self, tick: Tick) -> u64 {
///         self.0 += 1;
///         self.0
///     }
/// }
/// ```
///
/// # Hooks
///
/// `#[on(start)]` runs before the first message, returns nothing or a `Result<(), E>`, and may take
/// the context. `#[on(stop)]` runs after the last message, returns nothing, and may take the
/// context and the `ExitReason`, by value or by reference. Both may be async, and stand in the main
/// impl block; so does `#[on(undelivered)] fn name(letter: Undelivered)`, which takes messages that
/// were accepted, not handled, and had no asker to be handed back to. `#[on(panic)]` runs after a
/// panic in a handler or the start hook, may take the context and the `&Crash`, and returns an
/// `OnPanic<Self>`: whether the actor stops, restarts, or goes on as it is.
///
/// ```
/// # use greenroom::{ExitReason, actor};
/// # use std::{fs::File, io, path::PathBuf};
/// # #[actor]
/// # struct Store { path: PathBuf, file: Option<File> }
/// #[actor]
/// impl Store {
///     #[on(start)]
///     async fn open(&mut self) -> io::Result<()> {
///         self.file = Some(File::open(&self.path)?);
///         Ok(())
///     }
///
///     #[on(stop)]
///     async fn close(&mut self, reason: &ExitReason) {
///         println!("the store closes, for {reason}");
///     }
/// }
/// ```
///
/// # In another module
///
/// An impl block finds the handle by name, beside the type: `impl model::Job` means
/// `model::JobHandle`. After `use model::Job` import `JobHandle` as well.
#[proc_macro_attribute]
pub fn actor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::actor(arguments.into(), item.into()).into()
}

/// Implements `greenroom::remote::Wire` for a type that derives serde's traits as well.
///
/// `#[wire(version = "..")]` on a field stands for its type, where that is not `Wire`;
/// `#[wire(crate = "path")]` on the type says where greenroom is, if it is not `::greenroom`.
#[proc_macro_derive(Wire, attributes(wire))]
pub fn wire(item: TokenStream) -> TokenStream {
    wire::derive(item.into()).into()
}

/// Runs an async `main` on a runtime of greenroom's, with a worker thread per core.
///
/// ```
/// #[greenroom::main]
/// async fn main() -> Result<(), greenroom::Error> {
///     Ok(())
/// }
/// ```
///
/// | option | meaning |
/// | --- | --- |
/// | `flavor = "multi_thread"` | the default; `"current_thread"` is the other |
/// | `worker_threads = 4` | how many threads `multi_thread` has |
/// | `start_paused = true` | tokio's clock stands still; jumps when all are idle (`test-util`) |
/// | `seed = 7` | the choices of `current_thread`'s scheduler are drawn from this number |
/// | `crate = "path"` | where greenroom is, if it is not `::greenroom` |
///
/// Any other async function may be run so as well, and may then take arguments.
///
/// When `main` returns, the runtime ends: tasks and actors are dropped where they are, and no stop
/// hook runs. Await `handle.shutdown()` of an actor that should end in order.
///
/// Inside `#[tokio::main]` nothing of this is needed: actors run on the runtime that is there.
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (face, kind) = (entry::Face::Greenroom, entry::Kind::Main);
    entry::expand(face, kind, arguments.into(), item.into()).into()
}

/// Makes an async function a test, with a runtime of its own.
///
/// The options are those of [`main`](macro@main), but the default flavor is `current_thread`, so
/// that a test is the same each time.
///
/// ```
/// # use greenroom::actor;
/// # #[actor]
/// # struct Counter { count: u64 }
/// # #[actor]
/// # impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// #[greenroom::test]
/// async fn a_counter_counts() {
///     let counter = Counter { count: 0 }.spawn();
///     assert_eq!(counter.add(2).await.unwrap(), 2);
/// }
/// ```
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (face, kind) = (entry::Face::Greenroom, entry::Kind::Test);
    entry::expand(face, kind, arguments.into(), item.into()).into()
}

/// Runs an async `main` on a runtime with a worker thread per core, or another async function on
/// one of its own.
///
/// | option | meaning |
/// | --- | --- |
/// | `flavor = "multi_thread"` | the default; there are `"current_thread"` and `"local"` as well |
/// | `worker_threads = 4` | how many threads `multi_thread` has |
/// | `start_paused = true` | the clock stands still, and jumps when all are idle (`test-util`) |
/// | `name = ".."` | the name of the runtime |
/// | `crate = "path"` | where the facade is, if it is not `tokio` |
#[proc_macro_attribute]
pub fn tokio_main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (face, kind) = (entry::Face::Tokio, entry::Kind::Main);
    entry::expand(face, kind, arguments.into(), item.into()).into()
}

/// Makes an async function a test, with a runtime of its own.
///
/// The options are those of [`main`](macro@tokio_main), but the default flavor is
/// `current_thread`.
#[proc_macro_attribute]
pub fn tokio_test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let (face, kind) = (entry::Face::Tokio, entry::Kind::Test);
    entry::expand(face, kind, arguments.into(), item.into()).into()
}

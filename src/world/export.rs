//! Runs that leave the process at a savepoint, and go on in another.

use std::fmt;

use super::address::{Address, Frame, Site};
use super::body::{Answer, Body, Live, Point};
use super::end::Status;
use super::error::Closing;
use super::grant::{Ledger, NotFunded};
use super::handlers::Handlers;
use super::held::Held;
use super::program::Program;
use super::run::Run;
use super::seed::mix;
use super::session::Session;
use super::world::World;
use crate::contain::{catch, contain, discard, text_of};
use crate::error::{BoxError, Error};

/// A program that can be written down at its savepoints.
///
/// Which bytes is its own affair; the place in the program, the seed and the budget are written
/// down beside them.
///
/// ```
/// use std::convert::Infallible;
///
/// use greenroom::BoxError;
/// use greenroom::world::{
///     Export, Handlers, Ledger, Portable, Program, Run, Scope, Site, Step, World,
/// };
///
/// const PICK: Site = Site::named("pick");
///
/// /// Doubles what it is given.
/// #[derive(Clone)]
/// struct Double;
///
/// impl Program for Double {
///     type Payload = u8;
///     type Value = u8;
///     type Output = u8;
///     type Error = Infallible;
///
///     fn step(&mut self, _: &mut Scope<'_>, value: Option<u8>) -> Step<Self> {
///         match value {
///             None => Step::savepoint(PICK, 7),
///             Some(value) => Step::Done(2 * value),
///         }
///     }
/// }
///
/// impl Portable for Double {
///     fn pack(&self, payload: &u8, _: &World) -> Vec<u8> {
///         vec![*payload]
///     }
///
///     fn unpack(bytes: &[u8], _: &mut World) -> Result<(Self, u8), BoxError> {
///         let payload = bytes.first().ok_or("nothing was offered")?;
///         Ok((Double, *payload))
///     }
/// }
///
/// let handlers = Handlers::<Double>::new().on(PICK, |_savepoint| ()); // left alone
/// let run = Run::start(World::new(), Double, &handlers);
/// let held = run.hold().expect("it waits");
/// let bytes = held.export()?.as_bytes().to_vec();
///
/// // Elsewhere, and later:
/// let export = Export::from_bytes(bytes)?;
/// let mut run = Run::import(&export, &handlers, &Ledger::new(0))?;
/// assert_eq!(run.payload(), Some(&7));
/// run.resume(21)?;
/// assert_eq!(run.output(), Some(&42));
/// # Ok::<(), greenroom::Error>(())
/// ```
pub trait Portable: Program {
    /// Writes down the program, what it offers, and what of its world it is to find again.
    fn pack(&self, payload: &Self::Payload, world: &World) -> Vec<u8>;

    /// Reads what was written down, and puts in the world what was in it.
    ///
    /// # Errors
    ///
    /// When it was not written by [`pack`](Self::pack).
    fn unpack(bytes: &[u8], world: &mut World) -> Result<(Self, Self::Payload), BoxError>;
}

/// A run at a savepoint, as bytes: [`Held::export`].
///
/// It is imported once per content and ledger, by [`Run::import`] or [`Session::import`], in this
/// process or another. Bytes that were changed on the way are found out, but not who has changed
/// them: where that matters, sign them.
#[derive(Clone, PartialEq, Eq)]
pub struct Export {
    bytes: Vec<u8>,
    balance: u64,
    content: u64,
}

/// In which form it is written down.
const FORM: u64 = u64::from_le_bytes(*b"greenrm1");

/// Words before those of the frame: the form, the content, site, address, sequence, seed, balance.
const HEAD: usize = 7;

impl Export {
    /// What was [written down](Self::as_bytes).
    ///
    /// # Errors
    ///
    /// When it was not, or has been changed.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ImportError> {
        let head: Vec<u64> = words(&bytes).take(HEAD).collect();
        let [form, content, .., balance] = head[..] else {
            return Err(ImportError::Malformed);
        };
        if head.len() != HEAD || form != FORM || content_of(&bytes) != content {
            return Err(ImportError::Malformed);
        }
        Ok(Self {
            bytes,
            balance,
            content,
        })
    }

    /// To be kept, or sent.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What tells it from others: a hash of all of it.
    #[must_use]
    pub fn content(&self) -> u64 {
        self.content
    }

    fn pack<P: Portable>(body: &Body<P>, program: &P, point: &Point<P>) -> Self {
        let balance = body.world.balance();
        let mut words = vec![
            FORM,
            0,
            point.site.as_u64(),
            point.address.as_u64(),
            body.sequence,
            body.world.seed(),
            balance,
        ];
        body.frame.pack(&mut words);
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        bytes.extend(program.pack(&point.payload, &body.world));
        let content = content_of(&bytes);
        bytes[8..16].copy_from_slice(&content.to_le_bytes());
        Self {
            bytes,
            balance,
            content,
        }
    }

    fn unpack<P: Portable>(&self, handlers: Handlers<P>) -> Result<Box<Body<P>>, ImportError> {
        let mut words = words(&self.bytes);
        let head: Vec<u64> = words.by_ref().take(HEAD).collect();
        let [_, _, site, address, sequence, seed, _] = head[..] else {
            return Err(ImportError::Malformed);
        };
        let frame = Frame::unpack(&mut words).ok_or(ImportError::Malformed)?;
        let rest = self.bytes.len() / 8 - words.count();
        let mut world = World::seeded(seed);
        let unpacked = catch(|| P::unpack(&self.bytes[8 * rest..], &mut world));
        let (program, payload) = match unpacked {
            Ok(unpacked) => unpacked.map_err(ImportError::Unpack)?,
            Err(payload) => {
                let text = text_of(&payload).to_owned();
                discard(payload);
                return Err(ImportError::Unpack(text.into()));
            }
        };
        let mut body = Body::new(world, program, handlers);
        (body.answer, body.frame, body.sequence) = (Answer::None, frame, sequence);
        body.point = Some(Point {
            site: Site::from_u64(site),
            address: Address::from_u64(address),
            payload,
        });
        Ok(Box::new(body))
    }
}

/// The words that bytes begin with.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let words = bytes.chunks_exact(8);
    words.map(|word| word.try_into().map_or(0, u64::from_le_bytes))
}

/// A hash of all but its own place.
fn content_of(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8).enumerate().filter(|(index, _)| *index != 1);
    words.fold(bytes.len() as u64, |hash, (_, chunk)| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash, u64::from_le_bytes(word))
    })
}

impl<P: Portable> Held<P> {
    /// Claims it, and writes the run down, to go on elsewhere: its end is told there. What its
    /// world may spend goes into escrow under its content, until it is imported by the same
    /// ledger.
    ///
    /// # Errors
    ///
    /// When it is not pending, or the program panics as it is written down: then the run is
    /// abandoned.
    pub fn export(&self) -> Result<Export, ExportError> {
        let mut live = self.claim().ok_or(ExportError::NotPending)?.into_live();
        let Some(body) = live.get_mut() else {
            return Err(ExportError::NotPending);
        };
        let (Some(program), Some(point)) = (&body.program, &body.point) else {
            return Err(ExportError::NotPending);
        };
        let export = catch(|| Export::pack(body, program, point)).map_err(|payload| {
            let text = text_of(&payload).to_owned();
            discard(payload);
            ExportError::Panicked(text)
        })?;
        body.world.escrow(export.content);
        if let Some(lease) = &body.lease {
            lease.count(body.counts);
        }
        // It has not ended: so nobody is told so.
        let body = live.into_body();
        contain(|| drop(body));
        Ok(export)
    }
}

impl<P: Portable> Run<P> {
    /// A run that was written down, at the savepoint that it was written down at. Its handlers are
    /// these, and its world has what its program puts there.
    ///
    /// What it may spend is what lies in the ledger's escrow for it, or, if it has left another
    /// ledger, as much of this one's reserve.
    ///
    /// # Errors
    ///
    /// When it was imported by this ledger before, the reserve has not that much, or it can't be
    /// read.
    pub fn import(
        export: &Export,
        handlers: &Handlers<P>,
        ledger: &Ledger,
    ) -> Result<Self, ImportError> {
        let mut body = export.unpack(handlers.clone())?;
        let wallet = ledger.claim(export.content, export.balance)?;
        body.world.adopt(wallet.ok_or(ImportError::Claimed)?);
        Ok(Self::new(Live::new(body), Status::Suspended))
    }
}

impl<P: Portable> Session<P> {
    /// As [`Run::import`], into this session and with its handlers.
    ///
    /// # Errors
    ///
    /// As [`Run::import`], and when the session closes.
    pub fn import(&self, export: &Export, ledger: &Ledger) -> Result<Run<P>, ImportError> {
        let lease = self.lease()?;
        let mut run = Run::import(export, self.handlers(), ledger)?;
        run.join(lease);
        Ok(run)
    }
}

/// Why a run was not written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportError {
    /// It has been resumed, abandoned or exported.
    NotPending,
    /// The program panicked; the text of the panic.
    Panicked(String),
}

/// Why a run was not imported.
#[derive(Debug)]
pub enum ImportError {
    /// It was imported before.
    Claimed,
    /// It is no export, or was changed.
    Malformed,
    /// The program can't read it.
    Unpack(BoxError),
    /// The reserve has not as much as it may spend.
    NotFunded(NotFunded),
    /// The session closes.
    Closing,
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export")
            .field("content", &self.content)
            .field("bytes", &self.bytes.len())
            .field("balance", &self.balance)
            .finish()
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPending => f.write_str("the savepoint is not pending any more"),
            Self::Panicked(text) => write!(f, "the program panicked: {text}"),
        }
    }
}

impl std::error::Error for ExportError {}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claimed => f.write_str("it was imported before"),
            Self::Malformed => f.write_str("it is no run that was exported"),
            Self::Unpack(error) => write!(f, "its program can't be read: {error}"),
            Self::NotFunded(error) => error.fmt(f),
            Self::Closing => Closing.fmt(f),
        }
    }
}

impl std::error::Error for ImportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unpack(error) => Some(&**error),
            Self::NotFunded(error) => Some(error),
            Self::Claimed | Self::Malformed | Self::Closing => None,
        }
    }
}

impl From<NotFunded> for ImportError {
    fn from(error: NotFunded) -> Self {
        Self::NotFunded(error)
    }
}

impl From<Closing> for ImportError {
    fn from(_: Closing) -> Self {
        Self::Closing
    }
}

impl From<ExportError> for Error {
    fn from(error: ExportError) -> Self {
        Self::new(error)
    }
}

impl From<ImportError> for Error {
    fn from(error: ImportError) -> Self {
        Self::new(error)
    }
}

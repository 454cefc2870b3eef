//! Admission: who says that there is enough, and how it is measured.

mod error;
mod monitor;
mod policy;
mod source;

pub use error::{MonitorError, Overload};
pub use monitor::{Pressure, PressureBuilder, PressureMonitor};
pub(crate) use policy::check_spawn;
pub use policy::{ResourcePolicy, SpawnRequest, set_resource_policy};

//! Two small services, each as its authors wrote it for another crate and as it was ported to
//! greenroom: `docs/coming-from.md` grew out of them. Both do the same.

mod stock;
mod weather;

//! Connections of those who have not yet shown who they are.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use super::super::limits::{STRANGERS, STRANGERS_PER_SOURCE};
use crate::sync::Mutex;

/// How many there are, in all and of each address.
#[derive(Default)]
pub(super) struct Strangers(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    all: usize,
    per_source: HashMap<IpAddr, usize>,
}

/// A place among them.
pub(super) struct Stranger {
    strangers: Arc<Strangers>,
    source: Option<IpAddr>,
}

impl Strangers {
    /// A place, unless all are taken, or as many as one address may take.
    pub(super) fn enter(self: &Arc<Self>, source: Option<IpAddr>) -> Option<Stranger> {
        let source = source.map(host);
        let mut counts = self.0.lock();
        let of_source = source.and_then(|source| counts.per_source.get(&source));
        let of_source = of_source.copied().unwrap_or(0);
        if counts.all >= STRANGERS || of_source >= STRANGERS_PER_SOURCE {
            return None;
        }
        counts.all += 1;
        if let Some(source) = source {
            counts.per_source.insert(source, of_source + 1);
        }
        Some(Stranger {
            strangers: self.clone(),
            source,
        })
    }
}

/// What one host is given: a whole address of version four, or the first half of one of six.
fn host(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(network))
        }
        address => address,
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let mut counts = self.strangers.0.lock();
        counts.all -= 1;
        let Some(source) = self.source else { return };
        if let Some(of_source) = counts.per_source.get_mut(&source) {
            *of_source -= 1;
            if *of_source == 0 {
                counts.per_source.remove(&source);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(strangers: &Arc<Strangers>, source: &str) -> Option<Stranger> {
        strangers.enter(Some(source.parse().expect("it is an address")))
    }

    #[test]
    fn one_address_takes_a_part_of_the_places_and_gives_them_back() {
        let strangers = Arc::<Strangers>::default();
        let mut held: Vec<Stranger> = Vec::new();
        while let Some(stranger) = enter(&strangers, "192.0.2.1") {
            held.push(stranger);
        }
        assert_eq!(held.len(), STRANGERS_PER_SOURCE);
        let others = enter(&strangers, "192.0.2.2");
        assert!(others.is_some());
        assert!(enter(&strangers, "::ffff:192.0.2.1").is_none(), "the same");
        held.pop();
        assert!(enter(&strangers, "192.0.2.1").is_some());
        drop((held, others));
        let counts = strangers.0.lock();
        assert_eq!((counts.all, counts.per_source.len()), (0, 0));
    }

    #[test]
    fn a_host_has_one_part_whatever_addresses_of_its_own_it_uses() {
        let strangers = Arc::<Strangers>::default();
        let address = |last| format!("2001:db8:1:2::{last:x}");
        let held: Vec<_> = (0..STRANGERS)
            .filter_map(|last| enter(&strangers, &address(last)))
            .collect();
        assert_eq!(held.len(), STRANGERS_PER_SOURCE);
        assert!(enter(&strangers, "2001:db8:1:3::1").is_some());
    }

    #[test]
    fn there_are_no_more_than_all_may_be_from_wherever_they_come() {
        let strangers = Arc::<Strangers>::default();
        let held: Vec<_> = (0..2 * STRANGERS)
            .filter_map(|_| strangers.enter(None))
            .collect();
        assert_eq!(held.len(), STRANGERS);
    }
}

use super::{Closed, Owned};
use crate::exec::testing::Log;

#[test]
fn a_unit_is_in_until_it_is_taken_out() {
    let (log, owned) = (Log::default(), Owned::new(2));
    let units: Vec<_> = (0..100).map(|i| log.unit(i)).collect();
    for unit in &units {
        owned.bind(unit).unwrap();
    }
    assert_eq!(owned.len(), 100);
    // From the middle, the front and the back of each shard.
    for unit in units.iter().skip(30).chain(units.iter().take(30)) {
        let entry = owned.unbind(unit.header()).unwrap();
        assert_eq!(entry.as_raw(), unit.as_raw());
        assert!(owned.unbind(unit.header()).is_none());
    }
    assert!(owned.is_empty());
    drop(units);
    assert_eq!(log.holders(), 1);
}

#[test]
fn a_closed_list_gives_what_is_in_and_takes_nothing() {
    let (log, owned) = (Log::default(), Owned::new(1));
    let (first, second, late) = (log.unit(0), log.unit(1), log.unit(2));
    owned.bind(&first).unwrap();
    owned.bind(&second).unwrap();
    let units = owned.close();
    assert_eq!(units.len(), 2);
    assert_eq!(owned.bind(&late), Err(Closed));
    // Those that are in stay until they end.
    assert_eq!(owned.len(), 2);
    for unit in units {
        drop(owned.unbind(unit.header()));
    }
    assert!(owned.is_empty());
    drop((first, second, late));
    assert_eq!(log.holders(), 1);
}

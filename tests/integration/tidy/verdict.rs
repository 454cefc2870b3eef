//! Findings against excuses.

/// Something that a rule does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// What an excuse names: a path, or a path and an item.
    pub(super) key: String,
    /// What is wrong, and where.
    pub(super) text: String,
}

impl Finding {
    pub(super) fn new(key: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            text: text.into(),
        }
    }
}

/// Allows the findings of one key, for a reason.
pub(super) struct Excuse {
    pub(super) key: &'static str,
    pub(super) why: &'static str,
}

/// Fails the test unless every finding is excused and every excuse is needed.
#[track_caller]
pub(super) fn settle(findings: &[Finding], excuses: &[Excuse]) {
    let faults = faults(findings, excuses);
    assert!(faults.is_empty(), "not tidy:\n{}", faults.join("\n"));
}

fn faults(findings: &[Finding], excuses: &[Excuse]) -> Vec<String> {
    let excused = |finding: &Finding| excuses.iter().any(|excuse| excuse.key == finding.key);
    let needed = |excuse: &Excuse| findings.iter().any(|finding| finding.key == excuse.key);
    let unexcused = findings.iter().filter(|finding| !excused(finding));
    let needless = excuses.iter().filter(|excuse| !needed(excuse));
    let wordless = excuses.iter().filter(|excuse| excuse.why.trim().is_empty());
    unexcused
        .map(|finding| finding.text.clone())
        .chain(needless.map(|excuse| format!("{}: its excuse is no longer needed", excuse.key)))
        .chain(wordless.map(|excuse| format!("{}: its excuse gives no reason", excuse.key)))
        .collect()
}

#[test]
fn an_excuse_silences_its_own_findings_alone() {
    let findings = [Finding::new("a", "a: long"), Finding::new("b", "b: long")];
    let excuses = [Excuse {
        key: "a",
        why: "a table",
    }];
    assert_eq!(faults(&findings, &excuses), ["b: long"]);
    assert_eq!(faults(&findings, &[]), ["a: long", "b: long"]);
}

#[test]
fn an_excuse_that_is_not_needed_or_not_explained_is_a_fault() {
    let excuses = [Excuse {
        key: "gone.rs",
        why: " ",
    }];
    let faults = faults(&[], &excuses);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("no longer needed") && faults[1].contains("no reason"));
}

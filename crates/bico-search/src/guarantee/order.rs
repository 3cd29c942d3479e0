//! The operator: what is guaranteed once some outcomes are reached, in any preorder.

/// When one outcome is at least as good as another: reflexive and transitive, and some outcomes
/// may well be neither better nor worse than each other.
pub trait Order {
    /// What is compared.
    type Item;

    /// Whether `a` is at least as good as `b`: who has reached `a` has reached `b`.
    fn reaches(&self, a: &Self::Item, b: &Self::Item) -> bool;

    /// Whether `a` dominates `b`: it is better, and not only as good.
    fn dominates(&self, a: &Self::Item, b: &Self::Item) -> bool {
        self.reaches(a, b) && !self.reaches(b, a)
    }
}

/// The outcomes, among finitely many, that are guaranteed once some of them are reached: the upper
/// closure of what is reached.
///
/// Outcomes are named by their place in the list.
pub struct UpperClosure<'a, O: Order> {
    order: &'a O,
    outcomes: &'a [O::Item],
    held: Vec<bool>,
    len: usize,
}

impl<'a, O: Order> UpperClosure<'a, O> {
    /// Nothing is reached yet.
    pub fn empty(order: &'a O, outcomes: &'a [O::Item]) -> UpperClosure<'a, O> {
        UpperClosure {
            order,
            outcomes,
            held: vec![false; outcomes.len()],
            len: 0,
        }
    }

    /// What a budget guarantees: the closure of what is known before, and of the first `budget`
    /// outcomes of a trail. Names that are not in the list count for nothing.
    pub fn of(
        order: &'a O,
        outcomes: &'a [O::Item],
        known: impl IntoIterator<Item = usize>,
        trail: &[usize],
        budget: usize,
    ) -> UpperClosure<'a, O> {
        let mut region = UpperClosure::empty(order, outcomes);
        let reached = trail.iter().copied().take(budget);
        for outcome in known.into_iter().chain(reached) {
            region.reach(outcome);
        }
        region
    }

    /// An outcome is reached, and all that it is at least as good as.
    pub fn reach(&mut self, outcome: usize) {
        let Some(reached) = self.outcomes.get(outcome) else {
            return;
        };
        // What is held has brought all below it already: the order is transitive.
        if self.held[outcome] {
            return;
        }
        for (held, other) in self.held.iter_mut().zip(self.outcomes) {
            if !*held && self.order.reaches(reached, other) {
                *held = true;
                self.len += 1;
            }
        }
    }

    /// Whether an outcome is guaranteed.
    pub fn holds(&self, outcome: usize) -> bool {
        self.held.get(outcome).copied().unwrap_or(false)
    }

    /// How many are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Which, in the order of the list.
    pub fn members(&self) -> impl Iterator<Item = usize> {
        (0..self.held.len()).filter(|outcome| self.held[*outcome])
    }
}

/// The non-dominated set: the outcomes reached so far that nothing reached is better than. Their closure is that of all
/// that was reached.
pub struct Sink<'a, O: Order> {
    order: &'a O,
    outcomes: &'a [O::Item],
    members: Vec<usize>,
}

/// What a new outcome did to a [`Sink`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Something there is better.
    Kept,
    /// It is in, and nothing had to leave.
    Joined,
    /// It is in, and what it is better than has left.
    Replaced,
}

impl<'a, O: Order> Sink<'a, O> {
    /// Nothing is reached yet.
    pub fn empty(order: &'a O, outcomes: &'a [O::Item]) -> Sink<'a, O> {
        Sink {
            order,
            outcomes,
            members: Vec::new(),
        }
    }

    /// An outcome of the list is reached; each at most once.
    ///
    /// Comparing with the members is enough: what has left was beaten by one of them, and so is
    /// all that it would beat.
    pub fn reach(&mut self, outcome: usize) -> Change {
        let Some(new) = self.outcomes.get(outcome) else {
            return Change::Kept;
        };
        let beaten = |member: &usize| self.order.dominates(&self.outcomes[*member], new);
        if self.members.iter().any(beaten) {
            return Change::Kept;
        }
        let before = self.members.len();
        self.members
            .retain(|member| !self.order.dominates(new, &self.outcomes[*member]));
        let left = self.members.len() < before;
        self.members.push(outcome);
        if left {
            Change::Replaced
        } else {
            Change::Joined
        }
    }

    /// Who is in it, in the order of arrival.
    pub fn members(&self) -> &[usize] {
        &self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A preorder as a table.
    #[derive(Debug, Clone)]
    struct Table {
        reaches: Vec<Vec<bool>>,
        items: Vec<usize>,
    }

    impl Table {
        /// The least preorder that holds these pairs.
        fn new(size: usize, pairs: &[(usize, usize)]) -> Table {
            let mut reaches = vec![vec![false; size]; size];
            for (a, row) in reaches.iter_mut().enumerate() {
                row[a] = true;
            }
            for (a, b) in pairs {
                reaches[a % size][b % size] = true;
            }
            for via in 0..size {
                let row = reaches[via].clone();
                for from in reaches.iter_mut().filter(|from| from[via]) {
                    for (own, other) in from.iter_mut().zip(&row) {
                        *own |= *other;
                    }
                }
            }
            Table {
                reaches,
                items: (0..size).collect(),
            }
        }

        fn region(&self, known: &[usize], trail: &[usize], budget: usize) -> Vec<usize> {
            let known = known.iter().copied();
            let region = UpperClosure::of(self, &self.items, known, trail, budget);
            let members: Vec<usize> = region.members().collect();
            assert_eq!(region.len(), members.len());
            assert!(
                self.items
                    .iter()
                    .all(|i| region.holds(*i) == members.contains(i))
            );
            members
        }
    }

    impl Order for Table {
        type Item = usize;

        fn reaches(&self, a: &usize, b: &usize) -> bool {
            self.reaches[*a][*b]
        }
    }

    fn is_within(small: &[usize], large: &[usize]) -> bool {
        small.iter().all(|item| large.contains(item))
    }

    /// A preorder, a trail through it without repetitions, and two sets, one within the other.
    fn any_case() -> impl Strategy<Value = (Table, Vec<usize>, Vec<usize>, Vec<usize>)> {
        let case = (1usize..10).prop_flat_map(|size| {
            let pairs = proptest::collection::vec((0..size, 0..size), 0..2 * size);
            let trail = Just((0..size).collect::<Vec<_>>()).prop_shuffle();
            let set = proptest::collection::vec(0..size, 0..size);
            let more = proptest::collection::vec(0..size, 0..size);
            (pairs, trail, set, more, Just(size))
        });
        case.prop_map(|(pairs, trail, set, more, size)| {
            let larger = [&set[..], &more[..]].concat();
            (Table::new(size, &pairs), trail, set, larger)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_operator_is_extensive((table, trail, set, _) in any_case(), budget in 0usize..12) {
            prop_assert!(is_within(&set, &table.region(&set, &trail, budget)));
        }

        #[test]
        fn the_operator_is_monotone_in_set_and_budget((table, trail, set, larger) in any_case(), budget in 0usize..12) {
            let region = table.region(&set, &trail, budget);
            prop_assert!(is_within(&region, &table.region(&larger, &trail, budget)));
            prop_assert!(is_within(&region, &table.region(&set, &trail, budget + 1)));
        }

        #[test]
        fn the_operator_is_idempotent((table, trail, set, _) in any_case(), budget in 0usize..12) {
            let once = table.region(&set, &trail, budget);
            prop_assert_eq!(&table.region(&once, &trail, budget), &once);
        }

        #[test]
        fn the_region_is_what_something_reached_reaches((table, trail, set, _) in any_case(), budget in 0usize..12) {
            let reached: Vec<usize> = set.iter().chain(trail.iter().take(budget)).copied().collect();
            let expected: Vec<usize> = (0..trail.len()).filter(|b| reached.iter().any(|a| table.reaches[*a][*b])).collect();
            prop_assert_eq!(table.region(&set, &trail, budget), expected);
        }

        #[test]
        fn the_sink_is_what_nothing_beats_and_gives_the_same_region((table, trail, ..) in any_case(), budget in 0usize..12) {
            let reached = &trail[..budget.min(trail.len())];
            let mut sink = Sink::empty(&table, &table.items);
            for outcome in reached {
                let before = sink.members().to_vec();
                match sink.reach(*outcome) {
                    Change::Kept => prop_assert_eq!(sink.members(), &before[..]),
                    Change::Joined => prop_assert_eq!(sink.members(), &[&before[..], &[*outcome]].concat()[..]),
                    Change::Replaced => prop_assert!(!is_within(&before, sink.members())),
                }
            }
            let beats = |a: usize, b: usize| table.reaches[a][b] && !table.reaches[b][a];
            let expected: Vec<usize> = reached.iter().copied().filter(|b| !reached.iter().any(|a| beats(*a, *b))).collect();
            prop_assert_eq!(sink.members(), &expected[..]);
            prop_assert_eq!(table.region(sink.members(), &[], 0), table.region(reached, &[], 0));
        }
    }
}

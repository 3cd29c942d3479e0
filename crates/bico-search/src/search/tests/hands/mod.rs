//! Searches with many hands: what is measured comes back in any order.

mod resumed;

use super::*;
use std::cell::Cell;

/// A [`Measure`] with hands, which come and go: what is under way arrives in an order that a seed decides.
struct Team {
    told: Told,
    rng: fastrand::Rng,
    hands: Box<dyn Fn(usize) -> usize>,
    busy: Vec<u64>,
    /// How many arrived.
    arrived: usize,
    /// Configs under way after each beginning, with the hands that there were.
    load: Vec<(usize, usize)>,
    /// Configs that nothing is recalled of.
    forgotten: HashSet<u64>,
    asked_hands: Cell<usize>,
    /// Whatever was begun first arrives first.
    in_turns: bool,
    /// What is not measured yet is given back when no time is left.
    gives_back: bool,
}

impl Team {
    fn new(told: Told, seed: u64, hands: impl Fn(usize) -> usize + 'static) -> Team {
        Team {
            told,
            rng: fastrand::Rng::with_seed(seed),
            hands: Box::new(hands),
            busy: Vec::new(),
            arrived: 0,
            load: Vec::new(),
            forgotten: HashSet::new(),
            asked_hands: Cell::new(0),
            in_turns: false,
            gives_back: false,
        }
    }
}

impl Measure for Team {
    fn spent(&self) -> f64 {
        self.told.spent()
    }

    fn left(&self) -> f64 {
        self.told.left()
    }

    fn announce(&mut self, upcoming: &[u64]) {
        assert!(!upcoming.iter().any(|config| self.busy.contains(config)));
        self.told.announce(upcoming);
    }

    fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
        self.told.measure(config, best)
    }

    fn recall(&mut self, config: u64, outcome: &Outcome, _: Option<f64>) -> Option<Outcome> {
        (!self.forgotten.contains(&config)).then(|| outcome.clone())
    }

    fn hands(&self) -> usize {
        self.asked_hands.set((self.hands)(self.arrived));
        self.asked_hands.get()
    }

    fn begin(&mut self, config: u64, best: Option<f64>) {
        assert!(!self.busy.contains(&config) && !self.told.asked.contains(&config));
        self.busy.push(config);
        self.told.bests.push(best);
        self.load.push((self.busy.len(), self.asked_hands.get()));
    }

    fn arrival(&mut self) -> Arrival {
        let at = self.rng.usize(..self.busy.len());
        let config = self.busy.remove(if self.in_turns { 0 } else { at });
        let best = self.told.bests.len();
        let outcome = self.told.measure(config, None);
        self.told.bests.truncate(best);
        self.arrived += 1;
        let worker = Some(format!("gpu{}", config % 4));
        Arrival {
            config,
            outcome,
            worker,
        }
    }

    fn withdraw(&mut self) -> Vec<u64> {
        let back = if self.gives_back { self.busy.len() } else { 0 };
        self.busy.drain(..back).collect()
    }

    fn judged_anew(&mut self) -> Vec<(u64, Outcome)> {
        self.told.judged_anew()
    }

    fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
        assert!(self.busy.is_empty());
        self.told.finals(configs)
    }
}

fn search_with(team: &mut dyn Measure, len: u64, evaluations: u64, strategy: &str) -> Found {
    let (configs, ranked) = (numbers(len), ranked(&vec![1.0; len as usize]));
    let search = Search::new(&configs, &ranked, budget(evaluations));
    run(&search, &mut *by_name(strategy, 3).unwrap(), team, &mut ())
}

fn times(len: u64) -> impl Iterator<Item = (u64, f64)> {
    (0..len).map(move |config| (config, 1.0 + ((config * 7) % len) as f64 / 10.0))
}

#[test]
fn all_hands_are_busy_until_the_budget_is_spent() {
    for strategy in names() {
        let mut team = Team::new(Told::new(times(40)), 1, |_| 8);
        let found = search_with(&mut team, 40, 20, strategy);
        assert_eq!(found.stop, Stop::Evaluations);
        assert_eq!(found.trail.trials().count(), 20, "{strategy}");
        let rows: Vec<&Row> = found.trail.trials().collect();
        // 12 times there were 8, then ever fewer.
        let under_way: Vec<u64> = rows.iter().filter_map(|row| row.under_way).collect();
        let expected: Vec<u64> = (0..13).map(|_| 8).chain((1..8).rev()).collect();
        assert_eq!(under_way, expected, "{strategy}");
        let worker = |row: &Row| row.worker == Some(format!("gpu{}", row.config % 4));
        assert!(rows.iter().all(|row| worker(row)));
        let evaluations: Vec<u64> = rows.iter().map(|row| row.evaluation).collect();
        assert_eq!(evaluations, (1..=20).collect::<Vec<u64>>());
        // The best at the time: none before the first arrival, then ever lower.
        let bests = &team.told.bests;
        assert!(bests[..8].iter().all(Option::is_none) && bests[8..].iter().all(Option::is_some));
        assert!(bests[8..].windows(2).all(|pair| pair[1] <= pair[0]));
        // Nothing that the budget cannot pay for is prepared.
        assert_eq!(team.told.announced.last().unwrap().len(), 1);
    }
}

#[test]
fn those_who_hold_places_begin_at_once_and_keep_their_kinds() {
    let (configs, ranked) = (numbers(9), ranked(&[1.0; 9]));
    let mut team = Team::new(Told::new(times(9)), 2, |_| 4);
    let search = Search {
        incumbent: Some(5),
        starts: &[7],
        ..Search::new(&configs, &ranked, budget(6))
    };
    run(&search, &mut *guided(), &mut team, &mut ());
    assert_eq!(team.told.announced[0][..3], [5, 7, 0]);
    let mut told = Told::new(times(9));
    let found = run(&search, &mut *guided(), &mut told, &mut ());
    let mut team = Team::new(Told::new(times(9)), 2, |_| 4);
    let many = run(&search, &mut *guided(), &mut team, &mut ());
    assert_eq!(many.winner, found.winner);
    let kinds = |found: &Found| {
        let rows = found
            .trail
            .trials()
            .map(|row| (row.config, row.kind.name()));
        rows.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(kinds(&many), kinds(&found));
}

/// What is under way is waited for, and may be a reason to go on.
#[test]
fn an_end_waits_for_what_is_under_way() {
    let (configs, ranked) = (numbers(100), ranked(&[1.0; 100]));
    // The clock: one second for each that arrives.
    let mut team = Team::new(Told::new(times(100)), 1, |_| 8);
    let limit = Budget {
        seconds: 6.5,
        ..budget(100)
    };
    let search = Search::new(&configs, &ranked, limit);
    let found = run(&search, &mut *guided(), &mut team, &mut ());
    assert_eq!((found.stop, team.arrived), (Stop::Seconds, 7 + 7));
    // Unless nobody is at it, also in a search that goes on with a cut one.
    for resumes in [false, true] {
        let mut team = Team::new(Told::new(times(100)), 1, |_| 8);
        team.gives_back = true;
        let mut resumed = Resumed::new(&mut team, Recorded::default());
        let found = match resumes {
            true => run(&search, &mut *guided(), &mut resumed, &mut ()),
            false => run(&search, &mut *guided(), &mut team, &mut ()),
        };
        assert_eq!((found.stop, team.arrived), (Stop::Seconds, 7));
    }
    // The wall's clock, even if it is over before anything arrived.
    for gives_back in [false, true] {
        let mut team = Team::new(Told::new(times(100)), 1, |_| 8);
        (team.told.limit, team.gives_back) = (0.0, gives_back);
        let search = Search::new(&configs, &ranked, budget(100));
        let found = run(&search, &mut *guided(), &mut team, &mut ());
        assert_eq!((found.stop, team.arrived), (Stop::Seconds, 1));
    }
    // A plateau that something under way ends.
    let slow = |config| (config, if config == 14 { 0.5 } else { 1.0 });
    let mut team = Team::new(Told::new((0..100).map(slow)), 1, |_| 8);
    let limit = Budget {
        patience: Some(10),
        ..budget(100)
    };
    let search = Search {
        baseline: None,
        ..Search::new(&configs, &ranked, limit)
    };
    let mut sequential = by_name("sequential", 0).unwrap();
    let found = run(&search, &mut *sequential, &mut team, &mut ());
    assert_eq!(found.stop, Stop::Plateau);
    assert!(found.trail.trials().any(|row| row.config == 14) && team.arrived >= 24);
    // A small space ends when all of it was measured.
    let mut team = Team::new(Told::new(times(5)), 1, |_| 8);
    let found = search_with(&mut team, 5, 100, "adaptive");
    assert_eq!((found.stop, team.arrived), (Stop::Exhausted, 5));
}

#[test]
fn what_cannot_be_launched_makes_room_for_another() {
    let mut team = Team::new(Told::new(times(40)), 5, |_| 4);
    team.told.unlaunchable = (0..40).filter(|config| config % 3 == 0).collect();
    let found = search_with(&mut team, 40, 12, "random");
    assert_eq!(found.trail.evaluated().count(), 12);
    assert!(found.trail.trials().count() > 12);
}

#[test]
fn outcomes_are_judged_anew_among_others_under_way() {
    let mut team = Team::new(Told::new(times(30)), 5, |_| 4);
    let best = search_with(&mut team, 30, 30, "guided")
        .winner
        .unwrap()
        .config;
    let mut team = Team::new(Told::new(times(30)), 5, |_| 4);
    team.told.anew = vec![(30, best, None)];
    let found = search_with(&mut team, 30, 30, "guided");
    assert_ne!(found.winner.unwrap().config, best);
    assert_eq!(found.trail.trials().count(), 30);
}

#[test]
fn what_nobody_asked_for_is_no_trial() {
    struct Chatty(Team, usize);
    impl Measure for Chatty {
        fn spent(&self) -> f64 {
            0.0
        }
        fn announce(&mut self, _: &[u64]) {}
        fn measure(&mut self, config: u64, best: Option<f64>) -> Outcome {
            self.0.measure(config, best)
        }
        fn hands(&self) -> usize {
            self.0.hands()
        }
        fn begin(&mut self, config: u64, best: Option<f64>) {
            self.0.begin(config, best);
        }
        fn arrival(&mut self) -> Arrival {
            self.1 += 1;
            if self.1.is_multiple_of(3) {
                return Arrival {
                    config: [39, 1 << 40][self.1 % 2],
                    outcome: Outcome::Timed(Sample::new(1e-9, 1e-9, 1e-9, 1)),
                    worker: None,
                };
            }
            self.0.arrival()
        }
        fn finals(&mut self, configs: &[u64]) -> Vec<Outcome> {
            self.0.finals(configs)
        }
    }
    let mut chatty = Chatty(Team::new(Told::new(times(40)), 5, |_| 4), 0);
    let found = search_with(&mut chatty, 40, 20, "guided");
    assert_eq!(found.trail.trials().count(), 20);
    assert!(found.winner.unwrap().sample.seconds >= 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_hands_measure_what_the_budget_grants(space in any_space(), n in 0u64..32, seed in 0u64..99, which in 0usize..6, incumbent in proptest::option::of(0u64..30), hands in proptest::collection::vec(0usize..9, 1..6), patience in proptest::option::of(1u64..8)) {
        let configs = numbers(space.len() as u64);
        let ranked = ranked(&space.iter().map(|(p, _)| *p).collect::<Vec<_>>());
        let times = || space.iter().enumerate().filter_map(|(c, (_, t))| Some((c as u64, (*t)?)));
        let search = || {
            let budget = Budget { patience, ..budget(n) };
            let search = Search { incumbent, ..Search::new(&configs, &ranked, budget) };
            let hands = hands.clone();
            let mut team = Team::new(Told::new(times()), seed, move |arrived| hands[arrived / 3 % hands.len()]);
            let mut strategy = by_name(names()[which], seed).unwrap();
            let found = run(&search, &mut *strategy, &mut team, &mut ());
            (found, team)
        };
        let (found, team) = search();
        let trials = configs_of(&found);
        let distinct: HashSet<u64> = trials.iter().copied().collect();
        prop_assert_eq!(distinct.len(), trials.len());
        prop_assert!(trials.len() as u64 <= n && trials == team.told.asked);
        if patience.is_none() {
            prop_assert_eq!(trials.len() as u64, n.min(space.len() as u64));
        }
        // Never more than there are hands; what is left of them is asked, too.
        prop_assert!(team.load.iter().all(|(load, hands)| load <= &(*hands).max(1)), "{:?}", team.load);
        for row in found.trail.trials() {
            prop_assert!(row.under_way.is_some() == row.worker.is_some());
        }
        // The same order of arrival, the same trail.
        prop_assert!(search().0 == found);
    }
}

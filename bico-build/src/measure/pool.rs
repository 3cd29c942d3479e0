//! Several workers. Each is asked by a thread of its own; the thread that searches starts their processes, for a worker ends with
//! the thread that did.

use super::client::{Client, Ended, Outbox, Posted, Program};
use super::clock::{Clock, REST, WAIT, WAITING, at};
use super::protocol::{Reply, Request};
use super::standstill::{AtWork, Standstill};
use crate::compile::Pausing;
use crate::queue::{Receiver, Sender, queue};
use bico_core::Lists;
use bico_search::search::{Costs, Sample};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Faults of a worker, one after the other, after which it is asked no more.
const MOST_FAULTS: u32 = 2;

/// Seconds from which on the way to a worker and back is worth having it wait for nothing: it gets the next request before it
/// has answered.
const FAR: f64 = 0.005;

/// What the thread of a worker does: it asks, and hears what the worker says.
type Question = Box<dyn FnOnce() + Send>;

/// One worker.
pub(super) struct Hand {
    /// `None`: its thread has it, or whoever searches.
    pub(super) client: Option<Client>,
    /// Asks it, one question after the other.
    thread: Sender<Question>,
    pub(super) name: String,
    pub(super) state: State,
    /// What it said that it runs on: the machine's name and, of a GPU, its address and clock.
    pub(super) about: String,
    /// Faults since it last did what it was asked, and the last one.
    pub(super) faults: u32,
    why: String,
    /// How it differs from one that is gone, where it went on although it does.
    pub(super) alone: String,
    /// What it says of the config that all measure, and how often it was asked.
    pub(super) compared: Option<Sample>,
    pub(super) looks: u32,
    /// Where it may be asked something while it is at something else.
    outbox: Weak<Outbox>,
    /// Whether what it times waits for a word of this process.
    asks: bool,
    /// Seconds of the shortest way to it and back, so far.
    way: f64,
}

/// How far a worker is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum State {
    Starting,
    /// Nobody knows whether its times may stand beside others'.
    New,
    Equal,
    /// It ended, and is started again: nobody waits for it, as it may be in a queue.
    Returning,
    Gone,
}

/// What a worker said.
pub(super) struct Event {
    pub(super) hand: usize,
    client: Option<Client>,
    pub(super) answer: Result<Reply, Ended>,
    /// What its seconds went to.
    pub(super) costs: Costs,
    /// Times that it held the lock of its machine, and did not.
    pub(super) locked: [u32; 2],
    /// Seconds until it said the first word.
    way: Option<f64>,
}

/// What a worker is to do.
pub(super) enum Task {
    /// To say what it is.
    Greet,
    /// To answer, once it has it.
    Ask(Request),
    /// To answer what it has already.
    Answer(Request, Posted),
}

/// All of them.
pub(super) struct Pool {
    pub(super) hands: Vec<Hand>,
    /// Whose client the thread that searches has, and what it had before.
    pub(super) seated: Option<usize>,
    pub(super) spare: Option<Client>,
    sender: Arc<Sender<Event>>,
    events: Receiver<Event>,
    /// Threads that are at a question.
    asking: usize,
    pub(super) standstill: Arc<Standstill>,
    stop: Arc<AtomicBool>,
}

impl Pool {
    /// Starts them all.
    pub(super) fn new(workers: Vec<Program>) -> Pool {
        let (sender, events) = queue();
        let stop = Arc::new(AtomicBool::new(false));
        let hand = |program: Program| {
            let name = program.name.clone();
            let mut client = Client::new(program);
            client.stop = Arc::clone(&stop);
            let (thread, questions) = queue::<Question>();
            crate::os::thread(Box::new(move || {
                while let Some(ask) = questions.next() {
                    ask();
                }
            }));
            Hand {
                client: Some(client),
                thread,
                name,
                state: State::Starting,
                about: String::new(),
                faults: 0,
                why: String::new(),
                alone: String::new(),
                compared: None,
                looks: 0,
                outbox: Weak::new(),
                asks: false,
                way: f64::INFINITY,
            }
        };
        let mut pool = Pool {
            hands: workers.into_iter().map(hand).collect_vec(),
            seated: None,
            spare: None,
            sender: Arc::new(sender),
            events,
            asking: 0,
            standstill: Arc::default(),
            stop,
        };
        for hand in 0..pool.hands.len() {
            pool.ask(hand, Task::Greet, 0.0, None);
        }
        pool
    }

    /// Has a worker asked. `pausing` stops the compilers of this machine while it times here.
    pub(super) fn ask(&mut self, hand: usize, task: Task, allow: f64, pausing: Option<Pausing>) {
        let Some(mut client) = self.hands[hand].client.take() else {
            return;
        };
        let mut launched = client.launch();
        let is_first = !matches!(task, Task::Answer(..));
        // Asked here, so that what is sent ahead comes behind it.
        let task = match task {
            Task::Ask(request) if client.is_greeted() => match client.post(&request) {
                Ok(posted) => Task::Answer(request, posted),
                Err(ended) => {
                    launched = Err(ended);
                    Task::Greet
                }
            },
            task => task,
        };
        self.hands[hand].asks = pausing.is_some();
        self.hands[hand].outbox = match task {
            Task::Answer(..) => client.outbox(),
            _ => Weak::new(),
        };
        let sender = Arc::clone(&self.sender);
        let standstill = Arc::clone(&self.standstill);
        self.asking += 1;
        self.hands[hand].thread.send(Box::new(move || {
            let mut clock = Clock::new();
            // Who is on its way may be in a queue.
            let is_there = !matches!(task, Task::Greet);
            let mut at_work = is_there.then(|| AtWork::new(&standstill));
            let (mut quiet, mut locked) = (None, [0, 0]);
            let (start, mut way) = (Instant::now(), None);
            let mut hear = |said: &Reply| {
                way.get_or_insert_with(|| start.elapsed().as_secs_f64());
                let waits = matches!(said, Reply::Progress { step, .. } if step == WAIT);
                at_work.iter_mut().for_each(|of| of.waits(waits));
                match said {
                    Reply::Progress { step, .. } => drop(clock.turn(at(step))),
                    Reply::Quiet(held) => {
                        locked[usize::from(!held)] += 1;
                        clock.turn(WAITING);
                        quiet = pausing.as_ref().map(|pausing| pausing.leave(0));
                        return quiet.as_ref().map(|_| Request::Go);
                    }
                    Reply::Waited(_) => {}
                    _ => quiet = None,
                }
                None
            };
            let answer = launched.and_then(|()| match &task {
                Task::Ask(request) => client.converse(request, allow, &mut hear),
                Task::Answer(request, posted) => client.heard(request, *posted, allow, &mut hear),
                Task::Greet => client.greet().map(|()| Reply::Loud),
            });
            let way = way.filter(|_| is_first && matches!(task, Task::Answer(..)));
            quiet = None;
            drop(quiet);
            drop(at_work);
            clock.turn(REST);
            let costs = clock.take();
            sender.send(Event {
                hand,
                client: Some(client),
                answer,
                costs,
                locked,
                way,
            });
        }));
    }

    /// What a worker said, waited for no longer than this.
    pub(super) fn event(&mut self, most: Duration) -> Option<Event> {
        if self.asking == 0 {
            return None;
        }
        let mut event = self.events.within(most).ok()?;
        self.asking -= 1;
        let hand = &mut self.hands[event.hand];
        hand.client = event.client.take();
        if let Some(client) = &hand.client {
            hand.about.clone_from(&client.here.about);
        }
        hand.way = event.way.map_or(hand.way, |way| hand.way.min(way));
        Some(event)
    }

    /// Sends a worker what it is to do next.
    pub(super) fn send_ahead(&self, at: usize, request: &Request) -> Result<Posted, String> {
        let hand = &self.hands[at];
        let outbox = hand.outbox.upgrade();
        let outbox = outbox.ok_or_else(|| format!("`{}` has ended", hand.name))?;
        outbox.post(request)
    }

    /// The first one that may be asked now and for which this holds.
    pub(super) fn free(&self, is_meant: impl Fn(usize, &Hand) -> bool) -> Option<usize> {
        let mut hands = self.hands.iter().enumerate();
        let is_free = |hand: &Hand| hand.client.is_some() && hand.is_usable();
        hands
            .find(|(at, hand)| is_free(hand) && is_meant(*at, hand))
            .map(|(at, _)| at)
    }

    /// Starts a worker again that ended.
    pub(super) fn revive(&mut self, at: usize) {
        let hand = &mut self.hands[at];
        let ended = hand.client.as_ref().is_some_and(Client::has_none);
        if ended && hand.state == State::Equal {
            hand.state = State::Returning;
            self.ask(at, Task::Greet, 0.0, None);
        }
    }

    /// Whether none may be asked, nor will be.
    pub(super) fn is_deserted(&self) -> bool {
        self.hands.iter().all(|hand| hand.state == State::Gone)
    }

    /// Whether all others are gone.
    pub(super) fn is_last(&self, at: usize) -> bool {
        let mut hands = self.hands.iter().enumerate();
        hands.all(|(other, hand)| other == at || hand.state == State::Gone)
    }

    /// What is to be said of workers that are gone, that never came, or that went on alone.
    pub(super) fn lost(&self) -> Vec<String> {
        let left = |hand: &Hand| {
            if hand.state == State::Equal && !hand.alone.is_empty() {
                return Some(format!("the worker `{}`: {}", hand.name, hand.alone));
            }
            let why = match hand.state {
                State::Equal => return None,
                State::Returning if hand.why.is_empty() => return None,
                _ if hand.why.is_empty() => "it did not come in time",
                _ => &hand.why,
            };
            Some(format!("the worker `{}` is left out: {why}", hand.name))
        };
        self.hands.iter().filter_map(left).collect_vec()
    }

    /// Takes note of a fault; a worker that has too many is asked no more.
    pub(super) fn blame(&mut self, at: usize, why: &str, is_for_good: bool) {
        let hand = &mut self.hands[at];
        hand.faults += 1;
        if hand.state != State::Gone {
            hand.why = why.to_string();
        }
        if is_for_good || hand.faults >= MOST_FAULTS {
            hand.state = State::Gone;
        }
    }
}

impl Hand {
    /// Whether it gets the next request before it has answered.
    pub(super) fn is_far(&self) -> bool {
        self.state == State::Equal && !self.asks && (FAR..f64::INFINITY).contains(&self.way)
    }

    /// Whether it is at something, and hears what else it is asked.
    pub(super) fn hears(&self) -> bool {
        self.client.is_none() && self.outbox.strong_count() > 0
    }

    pub(super) fn is_usable(&self) -> bool {
        matches!(self.state, State::New | State::Equal | State::Returning)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Who still asks sees that, and ends its worker.
        while self.event(Duration::from_secs(60)).is_some() {}
    }
}

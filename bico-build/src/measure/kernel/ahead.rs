//! Who gets what next: what workers get before they have answered, where the way to one is long and it would wait for each
//! request, and what others failed with.

use super::KernelMeasure;
use super::hands::{Pool, Way};
use crate::measure::client::Posted;
use crate::measure::pool::{Event, Task};
use crate::measure::protocol::{Reply, Request};
use bico_core::Lists;
use bico_search::search::Failure;

/// What a worker has, and begins when it is done with what it is at.
pub(super) struct Ahead {
    hand: usize,
    pub(super) way: Way,
    request: Request,
    posted: Posted,
}

/// No worker: what it was that has a config to try again matters to nobody.
const NOBODY: usize = usize::MAX;

impl KernelMeasure<'_> {
    /// How many configs may wait at workers. None where outputs are held against each other: which are known is said with
    /// each request.
    pub(super) fn most_ahead(&self) -> usize {
        let is_told = self.reference.is_some() || self.judge.is_some();
        let pool = self.pool.as_ref().filter(|_| is_told);
        let hands = pool.iter().flat_map(|pool| &pool.hands);
        hands.filter(|hand| hand.is_far()).count()
    }

    /// A worker that may have something waiting, and has nothing.
    pub(super) fn next_far(&self, pool: &Pool) -> Option<usize> {
        if self.most_ahead() == 0 {
            return None;
        }
        let waiting = self.hands.ahead.iter().map(|of| of.hand).collect_vec();
        let mut hands = pool.hands.iter().enumerate();
        hands
            .find(|(at, hand)| hand.is_far() && hand.hears() && !waiting.contains(at))
            .map(|(at, _)| at)
    }

    pub(super) fn send_ahead(&mut self, hand: usize, way: Way, request: Request) {
        let pool = self.pool.as_ref();
        match pool.map(|pool| pool.send_ahead(hand, &request)) {
            Some(Ok(posted)) => self.hands.ahead.push(Ahead {
                hand,
                way,
                request,
                posted,
            }),
            // It has just ended.
            _ => self.hands.again.push((NOBODY, way)),
        }
    }

    /// Has a worker that answered go on with what it has; what one has that ended goes to another.
    pub(super) fn go_on(&mut self, hand: usize, event: &Event) {
        let mut ahead = self.hands.ahead.iter();
        let Some(at) = ahead.position(|of| of.hand == hand) else {
            return;
        };
        let next = self.hands.ahead.swap_remove(at);
        // Who knows what else that one hit: the next one gets a fresh worker.
        let is_well = !matches!(
            event.answer,
            Ok(Reply::Tried(Err(Failure::OutOfBounds(_)))) | Err(_)
        );
        let hang = self.settings.hang_seconds;
        let Some(pool) = &mut self.pool else {
            return;
        };
        if is_well {
            self.hands.underway.push((hand, next.way));
            pool.ask(hand, Task::Answer(next.request, next.posted), hang, None);
        } else {
            if let Some(client) = &mut pool.hands[hand].client {
                client.end();
            }
            self.hands.again.push((NOBODY, next.way));
        }
    }

    /// Has those tried again that a worker failed with, by others.
    pub(super) fn try_again(&mut self) {
        let mut at = 0;
        while at < self.hands.again.len() {
            self.seat(None);
            let before = self.hands.again[at].0;
            let Some(pool) = &self.pool else {
                return;
            };
            let others = pool.hands.iter().enumerate();
            let mut others = others.filter(|(of, hand)| *of != before && hand.is_usable());
            let is_alone = others.next().is_none();
            match pool.free(|of, _| is_alone || of != before) {
                Some(hand) => {
                    let (_, way) = self.hands.again.swap_remove(at);
                    self.give(hand, way);
                }
                None => at += 1,
            }
        }
    }
}

//! The intake: looks at the inboxes, takes in what is ready, and puts it away.
//!
//! Small drops are handed to the writer many at a time, so that a hundred thousand files need no hundred
//! thousand commits; a large one is read while it is played.

mod away;
mod drop;
mod seat;

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::time::{Duration, Instant};

use drop::{Admitted, Drop};
use seat::Seat;

use super::board::Board;
use super::places::Places;
use crate::domain::{LogLevel, RunId, RunState, chain, crash_point};
use crate::ingest::{self, Again, Found, Watch};
use crate::service::dispatch::{Event, UnderWay};
use crate::service::handover::Handover;
use crate::service::plan::Plan;
use crate::service::run::about;
use crate::service::take_in::Taker;
use crate::service::{Message, ServiceError, Session, now, span_of_run, tell};
use crate::store::{Dropped, NewRun, Reader, RunRecord};

/// A drop of at most so many cases and bytes is taken in as a whole.
const SMALL_CASES: usize = 16;
const SMALL_BYTES: u64 = 1 << 20;

/// How many small drops may be on their way to the writer.
const IN_FLIGHT: usize = 64;

/// Full scans that the bell asks for come no closer than this.
const SCAN_GAP: Duration = Duration::from_millis(100);

/// What is said of the inboxes is said no more often than this.
const COUNT_EVERY: Duration = Duration::from_secs(1);

/// Loose inputs beyond these are forgotten, so that a late answer to them waits instead of being rejected.
const TAKEN_MOST: u32 = 100_000;

/// Looks at the inboxes.
pub(super) struct Intake<'a> {
    session: &'a Session,
    places: &'a Places,
    board: &'a Board,
    events: Sender<Message>,
    /// Whether it is enough.
    over: &'a AtomicBool,
    reader: Reader,
    seats: Vec<Seat>,
    watch: Watch,
    admitted: (Sender<Admitted>, Receiver<Admitted>),
    in_flight: usize,
    /// Which run took a loose input without an answer, by its path, for answers that come too late.
    taken: HashMap<Vec<u8>, RunId>,
    /// Runs that were not taken in completely when the daemon ended.
    begun: Vec<RunRecord>,
    counted: Option<Instant>,
}

impl<'a> Intake<'a> {
    /// Watches the inboxes.
    pub(super) fn new(
        session: &'a Session,
        places: &'a Places,
        board: &'a Board,
        events: Sender<Message>,
        bell: SyncSender<()>,
        over: &'a AtomicBool,
    ) -> Result<Self, ServiceError> {
        let now = Instant::now();
        let config = &session.config;
        let ring = move || {
            // One ring is enough.
            let _ = bell.try_send(());
        };
        let watch = Watch::start(&places.inboxes, config.inbox.watch, now, ring);
        let seat = |path| Seat::new(path, config, session.metrics.rescans.clone());
        let seats = places.inboxes.iter().map(|path| seat(path)).collect();
        Ok(Self {
            session,
            places,
            board,
            events,
            over,
            reader: session.reader()?,
            seats,
            watch,
            admitted: mpsc::channel(),
            in_flight: 0,
            taken: HashMap::new(),
            begun: Vec::new(),
            counted: None,
        })
    }

    /// Looks, until `over` says that it is enough.
    pub(super) fn run(mut self, bell: &Receiver<()>) -> Result<(), ServiceError> {
        self.finish_moves()?;
        for (run, source) in self.reader.newest_drops(TAKEN_MOST)? {
            self.remember(&source, run);
        }
        while !self.is_over() {
            let now = Instant::now();
            if self.watch.retry(now) {
                self.seats.iter_mut().for_each(|seat| seat.scan_at = now);
            }
            let mut busy = false;
            for (at, mut hints) in self.watch.take().into_iter().enumerate() {
                if hints.is_overflow() {
                    self.session.metrics.overflows.inc();
                }
                let polling = self.watch.polling().is_some();
                let Some(found) = self.seats[at].look(now, &mut hints, polling) else { continue };
                busy |= !found.ready.is_empty();
                self.take_all(at, found)?;
            }
            self.settle(false)?;
            if self.seats.iter().any(|seat| seat.replaced) {
                self.seats.iter_mut().for_each(|seat| seat.replaced = false);
                self.watch.again(now);
            }
            self.count(now, busy);
            let wait = self.next_look().saturating_duration_since(Instant::now());
            // Ends early when the bell rings.
            let _ = bell.recv_timeout(wait);
        }
        while self.in_flight > 0 {
            self.settle(true)?;
        }
        Ok(())
    }

    fn next_look(&self) -> Instant {
        let soon = Instant::now() + COUNT_EVERY;
        let seats = self.seats.iter().map(Seat::next_look).min().unwrap_or(soon);
        let retry = self.watch.next_retry().unwrap_or(soon);
        let next = seats.min(retry).min(soon);
        if self.in_flight > 0 { next.min(Instant::now() + Duration::from_millis(1)) } else { next }
    }

    fn count(&mut self, now: Instant, busy: bool) {
        let busy = busy || self.in_flight > 0;
        if !busy || self.counted.is_none_or(|at| now.duration_since(at) >= COUNT_EVERY) {
            self.counted = Some(now);
            let polling = self.watch.polling();
            let facts = self.seats.iter().map(|seat| seat.facts(now, polling)).collect();
            self.board.set_inboxes(facts, busy);
            // Whoever waited for a long look need not wait for the next beat, too.
            if now.elapsed() >= COUNT_EVERY {
                self.board.write(self.session, || ());
            }
        }
    }

    fn take_all(&mut self, seat: usize, found: Found) -> Result<(), ServiceError> {
        for found in found.ready {
            if self.is_over() {
                return Ok(());
            }
            self.take(Drop { seat, found, source: Vec::new(), begun: Instant::now() })?;
        }
        for refusal in found.refused {
            self.reject(seat, &[refusal.name], &refusal.reason, &Handover::default())?;
        }
        for name in found.waiting {
            let inputs = ingest::kin(name.as_encoded_bytes()).into_iter().map(OsString::from_vec);
            let path = |input: OsString| self.seats[seat].paths(&[input]);
            if let Some(run) = inputs.map(path).find_map(|path| self.taken.get(&path)) {
                let reason = format!("an answer that came too late: its input is run {run}");
                self.reject(seat, &[name], &reason, &Handover::default())?;
            }
        }
        found.making.iter().for_each(|name| self.clear_up(seat, name));
        Ok(())
    }

    fn take(&mut self, mut drop: Drop) -> Result<(), ServiceError> {
        if let Some(run) = self.reader.run_by_identity(drop.found.identity.0)? {
            drop.source.clone_from(&run.source);
            return self.known(&drop, &run);
        }
        let handover = Handover::of(&drop.found.origin, &drop.found.names);
        drop.source.clone_from(&handover.source);
        let request = drop.request(self.seats[drop.seat].root(), &handover);
        match Plan::new(&request, &self.session.config.limits) {
            Ok(plan) if plan.listing.entries.is_empty() => {
                let reason = "no input in it, neither by a rule nor by what a file holds";
                self.reject(drop.seat, &drop.found.names, reason, &handover)
            }
            Ok(plan) => self.take_plan(drop, &plan, &handover),
            // Somebody waits for what was handed over.
            Err(error) if error.is_rejection() || handover.token.is_some() => {
                self.reject(drop.seat, &drop.found.names, &chain(&error), &handover)
            }
            Err(error) => {
                // It is looked at again as if it were new.
                tracing::debug!("not taken yet: {}", chain(&error));
                self.seats[drop.seat].later(&drop.found.names);
                Ok(())
            }
        }
    }

    /// Something that the store has already: a crash came between the commit and the move.
    fn known(&mut self, drop: &Drop, run: &RunRecord) -> Result<(), ServiceError> {
        self.begun.retain(|begun| begun.id != run.id);
        if run.state == RunState::TakingIn && !self.take_rest(drop, run)? {
            return Ok(());
        }
        self.put_away(drop, run.id)
    }

    fn take_plan(
        &mut self,
        drop: Drop,
        plan: &Plan,
        handover: &Handover,
    ) -> Result<(), ServiceError> {
        if drop.found.listed.again() == Again::Differs {
            self.seats[drop.seat].forget(&drop.found.names);
            return Ok(());
        }
        let dropped = Dropped {
            class: drop.found.class,
            token: handover.token(),
            identity: Some(drop.found.identity.0),
        };
        let mut new = NewRun { dropped: Some(dropped), ..plan.new_run(now()) };
        new.source = match &handover.token {
            Some(_) => handover.source.clone(),
            None => self.seats[drop.seat].paths(&drop.found.names),
        };
        self.end_lists_of(&new.source)?;
        let small = plan.listing.entries.len() <= SMALL_CASES
            && drop.found.listed.bytes() <= SMALL_BYTES
            && drop.found.listed.count() <= 2 * SMALL_CASES;
        if small { self.admit(drop, plan, new) } else { self.take_large(&drop, plan, new) }
    }

    /// Hands a small drop to the writer as a whole.
    fn admit(&mut self, drop: Drop, plan: &Plan, new: NewRun) -> Result<(), ServiceError> {
        if self.in_flight >= IN_FLIGHT {
            self.settle(true)?;
        }
        let writer = self.session.store.writer();
        let taker = Taker { writer: &writer, plan, limits: &self.session.config.limits };
        let cases = taker.cases()?;
        let class = drop.found.class;
        let (mode, fresh) = (plan.compare, plan.asked.fresh);
        let answer = self.admitted.0.clone();
        self.in_flight += 1;
        writer.admit_run(new, cases, about(&plan.listing), move |outcome| {
            let way = |(run, queued)| UnderWay { run, mode, fresh, class, queued };
            let _ = answer.send(Admitted { drop, outcome: outcome.map(way) });
        });
        Ok(())
    }

    /// Puts away what the writer has committed by now; with `wait`, at least one.
    fn settle(&mut self, wait: bool) -> Result<(), ServiceError> {
        let mut next = if wait && self.in_flight > 0 {
            self.admitted.1.recv().ok()
        } else {
            self.admitted.1.try_recv().ok()
        };
        while let Some(Admitted { drop, outcome }) = next {
            self.in_flight -= 1;
            let way = outcome?;
            let run = way.run;
            self.taken_in(&drop);
            self.say(Event::Opened(way));
            self.say(Event::ListEnded(run));
            if let ingest::Origin::Files(_) = drop.found.origin {
                let source = self.seats[drop.seat].paths(&drop.found.names);
                self.remember(&source, run);
            }
            self.put_away(&drop, run)?;
            next = self.admitted.1.try_recv().ok();
        }
        Ok(())
    }

    fn remember(&mut self, source: &[u8], run: RunId) {
        if self.taken.len() >= TAKEN_MOST as usize {
            self.taken.clear();
        }
        match source.split(|&byte| byte == 0).collect::<Vec<_>>()[..] {
            [input] => _ = self.taken.insert(input.to_owned(), run),
            // It has its answer; the next one is that of the next input.
            [input, ..] => _ = self.taken.remove(input),
            [] => {}
        }
    }

    /// Ends the lists of runs that were begun from the same path: what lies there now is something else.
    fn end_lists_of(&mut self, source: &[u8]) -> Result<(), ServiceError> {
        let is_gone = |run: &mut RunRecord| run.source == source;
        for run in self.begun.extract_if(.., is_gone).collect::<Vec<_>>() {
            self.end_list(&run)?;
        }
        Ok(())
    }

    /// Plays what was taken in of a run, whose rest cannot be taken in any more.
    pub(super) fn end_list(&self, run: &RunRecord) -> Result<(), ServiceError> {
        let _about = span_of_run(run.id).entered();
        let reason = "some cases were never taken in: what they came from has changed since";
        let line = tell(LogLevel::Warning, reason.to_owned());
        self.session.store.writer().end_list(run.id, vec![line], now())?;
        if let Some(way) = self.session.under_way(run.id)? {
            self.say(Event::Opened(way));
            self.say(Event::ListEnded(run.id));
        }
        Ok(())
    }

    /// Takes in a large drop while it is played.
    fn take_large(&mut self, drop: &Drop, plan: &Plan, new: NewRun) -> Result<(), ServiceError> {
        let run = self.session.store.writer().start_run(new)?;
        self.say(Event::Opened(plan.under_way(run, drop.found.class)));
        if self.add_cases(plan, run, 0)? {
            self.taken_in(drop);
            self.put_away(drop, run)?;
        }
        Ok(())
    }

    /// Takes in what is missing of a run; `false` if that cannot be done now.
    fn take_rest(&mut self, drop: &Drop, record: &RunRecord) -> Result<bool, ServiceError> {
        let run = record.id;
        let handover = Handover::of(&drop.found.origin, &drop.found.names);
        let request = drop.request(self.seats[drop.seat].root(), &handover);
        let plan = match Plan::new(&request, &self.session.config.limits) {
            Ok(plan) => Some(plan).filter(|plan| Some(plan.list_hash()) == record.list_hash),
            Err(error) if error.is_rejection() => None,
            Err(error) => {
                tracing::debug!("not taken on yet: {}", chain(&error));
                self.seats[drop.seat].later(&drop.found.names);
                return Ok(false);
            }
        };
        let Some(plan) = plan else {
            return self.end_list(record).map(|()| true);
        };
        self.say(Event::Opened(UnderWay::of(record)));
        self.add_cases(&plan, run, record.total)
    }

    /// Adds the cases of a plan after the first ones; `false` if everything is to end.
    fn add_cases(&self, plan: &Plan, run: RunId, skip: u64) -> Result<bool, ServiceError> {
        let events = self.events.clone();
        let added = move |queued, refused| {
            let _ = events.send(Ok(Event::Added { run, queued, refused }));
        };
        let entries = plan.listing.entries.iter().skip(usize::try_from(skip).unwrap_or(usize::MAX));
        let wanted = entries.take_while(|_| !self.is_ending());
        let writer = self.session.store.writer();
        let taker = Taker { writer: &writer, plan, limits: &self.session.config.limits };
        taker.take_in(run, wanted, skip, added)?;
        if self.is_ending() {
            return Ok(false);
        }
        crash_point("before-end-list");
        writer.end_list(run, about(&plan.listing), now())?;
        self.say(Event::ListEnded(run));
        Ok(true)
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Whether there is no time for the rest of a large drop: the next one to look goes on with it.
    fn is_ending(&self) -> bool {
        self.is_over() || self.session.stopped().is_some()
    }

    /// A drop is stored, all of it.
    fn taken_in(&self, drop: &Drop) {
        self.session.metrics.take_in.observe(drop.begun.elapsed().as_secs_f64());
    }

    fn say(&self, event: Event) {
        let _ = self.events.send(Ok(event));
    }
}

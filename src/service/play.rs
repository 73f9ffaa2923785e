//! A claimed case on its way over the pool to the writer.

use std::sync::mpsc::Sender;
use std::time::Duration;

use prometheus::IntCounter;

use super::slices::{SliceSum, Slices};
use super::ticket::{self, Ticket};
use super::trial::{self, Bounds, Ruling};
use super::{Event, Message, ServiceError, span_of, tell};
use crate::config::Limits;
use crate::domain::{
    Body, CaseError, Class, CompareMode, ErrorCode, LogLevel, ResultId, Verdict, catching,
};
use crate::engine::{Begun, Engine, Evaluation, Job, KnownOutput, Many, PlayedMany};
use crate::store::{Claimed, Whole, Writer};

/// Plays the cases of a run; whatever comes of one is an event.
#[derive(Debug, Clone)]
pub(super) struct Player {
    pub(super) writer: Writer,
    pub(super) engine: Engine,
    pub(super) mode: CompareMode,
    pub(super) fresh: bool,
    pub(super) class: Class,
    pub(super) limits: Limits,
    pub(super) bounds: Bounds,
    pub(super) events: Sender<Message>,
    /// How many cases were tried first.
    pub(super) suspects: IntCounter,
}

impl Player {
    /// Plays a case; a suspect is tried first.
    pub(super) fn play(self, case: Claimed) {
        if case.suspect && case.known.is_none() {
            let engine = self.engine.clone();
            engine.spawn(self.class, move || self.try_suspect(case));
        } else {
            self.submit(case);
        }
    }

    fn try_suspect(self, case: Claimed) {
        self.suspects.inc();
        let (simulator, rules) = (case.key.simulator, case.key.rules);
        let recalled = || self.engine.is_cancelled();
        match trial::play(simulator, rules, &case.input, self.bounds, recalled) {
            Ok(Ruling::Harmless) => self.submit(case),
            Ok(Ruling::TakenBack) => self.say(Ok(Event::TakenBack(case.id, case.bytes()))),
            Ok(Ruling::Guilty(error)) => self.crashed(&Ticket::new(&case), error),
            Err(error) => self.say(Err(ServiceError::Trial(error))),
        }
    }

    fn submit(self, case: Claimed) {
        let ticket = Ticket::new(&case);
        let job = self.job(case);
        let engine = self.engine.clone();
        engine.submit(job, move |begun| match begun {
            Ok(Begun::Done(evaluation)) => self.evaluated(ticket, evaluation),
            Ok(Begun::Many(many)) => self.play_many(ticket, many),
            Err(error) => self.say(Err(ServiceError::Stored(error))),
        });
    }

    fn job(&self, case: Claimed) -> Job {
        let known = case.known.map(|known| KnownOutput {
            output: known.output,
            same: known.same,
            endless: known.endless,
            error: known.error,
        });
        Job {
            case: case.id,
            class: self.class,
            simulator: case.key.simulator,
            rules: case.key.rules,
            input: case.input,
            compared: case.compared,
            mode: self.mode,
            known,
            max_games: self.limits.max_games,
            max_output_bytes: self.limits.max_output_bytes,
        }
    }

    fn evaluated(&self, ticket: Ticket, evaluation: Evaluation) {
        match (&evaluation.verdict, &evaluation.error) {
            (Verdict::Cancelled, Some(error)) if ticket.suspect => {
                self.crashed(&ticket, error.clone());
            }
            (Verdict::Cancelled, Some(error)) => self.suspect(&ticket, error),
            (Verdict::Cancelled, None) if self.engine.is_cancelled() => {
                self.say(Ok(Event::TakenBack(ticket.id, ticket.bytes)));
            }
            (Verdict::Cancelled, None) => self.queue_again(&ticket),
            _ => {
                let (id, key, bytes) = (ticket.id, ticket.key, ticket.bytes);
                let finished = catching(|| ticket.finish(evaluation)).unwrap_or_else(|message| {
                    ticket::crashed(id, key, CaseError::new(ErrorCode::Panic, message))
                });
                self.say(Ok(Event::Evaluated(Box::new(finished), bytes)));
            }
        }
    }

    fn crashed(&self, ticket: &Ticket, error: CaseError) {
        let finished = ticket::crashed(ticket.id, ticket.key, error);
        self.say(Ok(Event::Evaluated(Box::new(finished), ticket.bytes)));
    }

    /// Queues a case again that was taken back for a while.
    fn queue_again(&self, ticket: &Ticket) {
        let (player, id, bytes) = (self.clone(), ticket.id, ticket.bytes);
        self.writer.queue_again(ticket.id, move |committed| {
            let event = committed.map(|()| Event::QueuedAgain(id, bytes));
            player.say(event.map_err(ServiceError::from));
        });
    }

    /// Queues a case again that took too long; next time it is tried first.
    fn suspect(&self, ticket: &Ticket, error: &CaseError) {
        let _about = span_of(ticket.id).entered();
        let line = tell(LogLevel::Warning, format!("taken back: {error}"));
        let (player, id, bytes) = (self.clone(), ticket.id, ticket.bytes);
        self.writer.suspect(ticket.id, line, move |committed| {
            player
                .say(committed.map(|()| Event::QueuedAgain(id, bytes)).map_err(ServiceError::from));
        });
    }

    /// Plays a case into the store, slice by slice.
    fn play_many(self, ticket: Ticket, mut many: Many) {
        let writer = self.writer.clone();
        writer.begin_result(ticket.key, move |begun| match begun {
            Ok(result) => {
                let compared = many.take_compared();
                let slices = Slices::new(self.clone(), result, ticket.key);
                let sum = slices.sum();
                many.play(slices, move |played| match played {
                    Ok(played) => self.end_many(ticket, result, played, &sum, compared),
                    Err(evaluation) => {
                        self.writer.drop_result(result, |_| ());
                        self.evaluated(ticket, evaluation);
                    }
                });
            }
            Err(error) => self.say(Err(error.into())),
        });
    }

    /// Ends a result that is stored by now, and has it judged as one that was known before.
    fn end_many(
        self,
        mut ticket: Ticket,
        result: ResultId,
        played: PlayedMany,
        sum: &SliceSum,
        compared: Option<Body>,
    ) {
        let PlayedMany { games, error, warnings, parse, play } = played;
        let (output, counts) = sum.finish();
        let output = error.is_none().then_some(output);
        let whole = Whole { games, counts, output, error: error.clone(), warnings };
        let writer = self.writer.clone();
        writer.end_result(result, ticket.key, whole, move |ended| match ended {
            Ok(Err(diverged)) => self.crashed(&ticket, diverged),
            Ok(Ok(stored)) => {
                ticket.stored = Some(stored);
                let output = output.map(|(_, bytes)| self.writer.output(stored, bytes));
                let known = KnownOutput { output, same: false, endless: false, error };
                self.judge_many(ticket, known, compared, (parse, play));
            }
            Err(error) => self.say(Err(error.into())),
        });
    }

    fn judge_many(
        self,
        ticket: Ticket,
        known: KnownOutput,
        compared: Option<Body>,
        (parse, play): (Duration, Duration),
    ) {
        let engine = self.engine.clone();
        engine.judge(self.class, known, compared, self.mode, move |judged| match judged {
            Ok(evaluation) => self.evaluated(ticket, Evaluation { parse, play, ..evaluation }),
            Err(error) => self.say(Err(ServiceError::Stored(error))),
        });
    }

    pub(super) fn say(&self, message: Message) {
        // Nobody listens any more once the run has failed.
        let _ = self.events.send(message);
    }
}

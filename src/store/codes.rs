//! The integers that stand for the members of closed sets. They are in every store, so a code is
//! never given to another member.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::StoreError;
use crate::domain::{
    CaseState, Class, CompareMode, Ending, LogLevel, RuleSet, RunState, SimulatorId, Verdict,
};

/// A member of a closed set as the store keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code<T>(pub(super) T);

macro_rules! codes {
    ($type:ident { $($(#[$only:meta])? $member:ident = $code:literal),+ $(,)? }) => {
        impl Code<$type> {
            /// The code itself.
            pub(super) const fn number(self) -> i64 {
                match self.0 {
                    $($(#[$only])? $type::$member => $code,)+
                }
            }
        }

        impl ToSql for Code<$type> {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.number().into())
            }
        }

        impl FromSql for Code<$type> {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                match value.as_i64()? {
                    $($(#[$only])? $code => Ok(Self($type::$member)),)+
                    other => Err(FromSqlError::OutOfRange(other)),
                }
            }
        }
    };
}

/// The member that a code stands for.
pub(super) fn member<T>(code: i64) -> Result<T, StoreError>
where
    Code<T>: FromSql,
{
    let found = Code::column_result(ValueRef::Integer(code)).map_err(rusqlite::Error::from);
    found.map(|Code(member)| member).map_err(StoreError::from)
}

codes!(SimulatorId {
    StellarConnect = 1,
    ThunderBluff = 2,
    Mtj = 3,
    #[cfg(feature = "faults")]
    Faults = 1000
});
codes!(RuleSet { Judge = 1, Statement = 2 });
codes!(Ending { Ended = 1, Endless = 2, Undecided = 3 });
codes!(RunState { TakingIn = 1, Open = 2, Done = 3, Cancelled = 4, Rejected = 5 });
codes!(CaseState { Queued = 1, Running = 2, Done = 3 });
codes!(Class { High = 1, Normal = 2 });
codes!(CompareMode { Lines = 1, Exact = 2, Tokens = 3 });
codes!(LogLevel { Info = 1, Warning = 2, Error = 3 });
codes!(Verdict {
    Ac = 1,
    Pe = 2,
    Wa = 3,
    NoRef = 4,
    BadIn = 5,
    Limit = 6,
    Crash = 7,
    Cancelled = 8
});

#[cfg(test)]
mod tests {
    use rusqlite::types::{FromSql, ToSql, ToSqlOutput, Value, ValueRef};

    use super::Code;
    use crate::domain::{
        CaseState, Class, CompareMode, Ending, LogLevel, RuleSet, RunState, SimulatorId, Verdict,
    };

    const SCHEMA: &str = include_str!("../../migrations/0001_initial.sql");

    /// The codes are read back as what they were.
    fn codes<T: Copy + std::fmt::Debug + PartialEq>(members: impl IntoIterator<Item = (i64, T)>)
    where
        Code<T>: ToSql + FromSql,
    {
        for (code, member) in members {
            let coded = Code(member);
            let stored = coded.to_sql().expect("a code");
            assert_eq!(stored, ToSqlOutput::Owned(Value::Integer(code)), "{member:?}");
            let read = Code::<T>::column_result(ValueRef::Integer(code)).expect("a member");
            assert_eq!(read, Code(member));
        }
    }

    /// The codes are 1 to n, and are what a CHECK of the schema allows.
    fn check<T: Copy + std::fmt::Debug + PartialEq>(all: &[T], column: &str)
    where
        Code<T>: ToSql + FromSql,
    {
        codes((1..).zip(all.iter().copied()));
        let check = format!("CHECK ({column} BETWEEN 1 AND {})", all.len());
        assert!(SCHEMA.contains(&check), "the schema has no {check}");
    }

    #[test]
    fn the_codes_of_simulators_have_no_upper_end() {
        codes((1..).zip(SimulatorId::ALL.into_iter().take(3)));
        #[cfg(feature = "faults")]
        codes([(1000, SimulatorId::Faults)]);
        assert_eq!(SCHEMA.matches("CHECK (simulator >= 1)").count(), 2);
    }

    #[test]
    fn the_checks_of_the_schema_repeat_the_codes() {
        check(&RuleSet::ALL, "rules");
        check(&Ending::ALL, "ending");
        check(&RunState::ALL, "state");
        check(&CaseState::ALL, "state");
        check(&LogLevel::ALL, "level");
        check(&CompareMode::ALL, "compare");
        check(&Class::ALL, "class");
        check(&Verdict::ALL, "verdict");
    }
}

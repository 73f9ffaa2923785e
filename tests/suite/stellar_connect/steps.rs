//! The steps that an observer sees, as sentences.

use super::{Change, play, who};

#[test]
fn a_person_can_follow_a_round() {
    let alice = who(40, 2, 9, 3).talent(3, 4, 1).skill(7, 2, 5, 6);
    let bob = who(50, 3, 7, 4).talent(1, 0, 0).skill(8, 1, 2, 0);
    let game = play([alice], [bob]);
    let lines: Vec<String> = game.events.iter().map(ToString::to_string).collect();
    let first = [
        "Alice 1: 40 hp, casts with 2 energy, attack 9, defence 3, attacks in the order 1\n  \
         talent Mind Over Matter (3): 4 hp and 1 energy after each allied action\n  \
         skill Aurora Bloom (7): 6 hp for the weakest ally, allies' attack +5 for 2 rounds",
        "Bob 1: 50 hp, casts with 3 energy, attack 7, defence 4, attacks in the order 1\n  \
         talent Flesh and Blood (1): immune to half of true damage\n  \
         skill Meteor (8): attack as damage to all enemies, their defence -2 for 1 round",
        "round 1: Alice 1 attacks Bob 1, the target with the most hp, 50",
        "  Bob 1 loses 5 hp (9 damage - 4 defence): 45 hp, 1 energy",
        "  Alice 1 gains 1 energy: 1 of 2",
        "  Alice's action ends, +1 energy each, Alice 1 +4 hp +1 energy by talent: hp 40, energy 2",
        "round 1: Bob 1 attacks Alice 1, the target with the most hp, 40",
        "  Alice 1 loses 4 hp (7 damage - 3 defence): 36 hp, 2 energy",
        "  Bob 1 gains 1 energy: 2 of 3",
        "  Bob's action ends, +1 energy each: hp 45, energy 3",
        "round 1 ends\n  \
         Alice: hp 36, energy 2, attack 9 (+0 each), defence 3 (bonuses 0), 0 additional energy\n  \
         Bob: hp 45, energy 3, attack 7 (+0 each), defence 4 (bonuses 0), 0 additional energy",
        "round 2: Alice 1 has full energy and casts Aurora Bloom (7)",
        "  Alice 1 restores up to 6 hp: 40 hp",
        "  Alice's attack +5 to the end of round 3",
        "  Alice 1 gains 1 energy: 1 of 2",
        "  Alice's action ends, +1 energy each, Alice 1 +4 hp +1 energy by talent: hp 40, energy 2",
        "round 2: Bob 1 has full energy and casts Meteor (8)",
        "  Alice 1 loses 4 hp (7 damage - 3 defence): 36 hp, 2 energy",
        "  Alice's defence -2 to the end of round 2",
        "  Bob 1 gains 1 energy: 1 of 3",
        "  Bob's action ends, +1 energy each: hp 45, energy 2",
        "  an effect ends: Alice's defence +2",
    ];
    assert_eq!(lines[..first.len()], first);
}

#[test]
fn a_loss_says_what_it_is_made_of() {
    let loses = |attacker, victim| {
        let game = play([attacker], [victim]);
        game.events
            .iter()
            .map(ToString::to_string)
            .find(|line| line.contains(" loses "))
            .expect("a hit")
    };
    let [plain, armoured, immune] =
        [who(9, 9, 5, 0), who(9, 9, 5, 7), who(9, 9, 5, 1).talent(1, 0, 0)];
    assert!(loses(plain.clone(), plain.clone()).contains("5 hp (5 damage - 0 defence)"));
    assert!(loses(plain.clone(), armoured).contains("0 hp (5 damage - 7 defence)"));
    let projects = plain.clone().talent(2, 3, 0);
    let loss = loses(projects, immune.clone());
    assert!(loss.contains("6 hp (5 damage - 1 defence + 3 true damage - 1 immune)"), "{loss}");
    let loss = loses(plain.talent(4, 0, 0), immune);
    assert!(loss.contains("3 hp (5 true damage - 2 immune)"), "{loss}");
}

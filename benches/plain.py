#!/usr/bin/env python3
"""What a plain program needs for inputs that it reads and keeps: the reference beside `simdrop run`.

    benches/plain.py FOLDER FILES

Writes one-game inputs of thunder-bluff to FOLDER, reads them one after another, and puts three rows for each into
a database beside FOLDER that is as durable as a store: WAL, synchronous=FULL, a commit for each 1,000 files. Prints
files per second.
"""
import hashlib
import pathlib
import random
import sqlite3
import sys
import time

folder, files = pathlib.Path(sys.argv[1]), int(sys.argv[2])
folder.mkdir()
dice = random.Random(files)
for number in range(files):
    seeds = " ".join(str(dice.randrange(1 << 32)) for _ in range(4))
    (folder / f"{number:07}.in").write_text(f"1\n{seeds}\n")

begun = time.monotonic()
inputs = [(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]
database = folder.with_suffix(".db")
db = sqlite3.connect(database, isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA synchronous = FULL")
db.execute("CREATE TABLE inputs (hash BLOB PRIMARY KEY, bytes BLOB) WITHOUT ROWID")
db.execute("CREATE TABLE cases (id INTEGER PRIMARY KEY, name TEXT, input BLOB, verdict TEXT, output BLOB)")
db.execute("CREATE TABLE games (id INTEGER PRIMARY KEY, winner INTEGER, length INTEGER, metrics TEXT)")
for first in range(0, files, 1000):
    part = [(id, *inputs[id]) for id in range(first, min(first + 1000, files))]
    hashes = [hashlib.blake2b(text, digest_size=32).digest() for _, _, text in part]
    db.execute("BEGIN IMMEDIATE")
    db.executemany("INSERT OR IGNORE INTO inputs VALUES (?, ?)", zip(hashes, (text for _, _, text in part)))
    rows = ((id, name, hash, "NOREF", text) for (id, name, text), hash in zip(part, hashes))
    db.executemany("INSERT INTO cases VALUES (?, ?, ?, ?, ?)", rows)
    db.executemany("INSERT INTO games VALUES (?, 1, 200, '[1, 2, 3, 4]')", ((id,) for id, _, _ in part))
    db.execute("COMMIT")
db.close()
print(round(files / (time.monotonic() - begun)))
database.unlink()

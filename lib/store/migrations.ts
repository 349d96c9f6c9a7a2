/** The log's schema. Numbered by place, forward only: never edit one that has been released. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  -- AUTOINCREMENT: a cursor is never given twice, and a fresh log can go on from an older one's last.
  CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    commit_sequence INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    subject TEXT NOT NULL,
    type TEXT NOT NULL,
    time TEXT NOT NULL,
    data TEXT NOT NULL
  );
  CREATE INDEX events_by_subject ON events (subject, sequence);
  CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
  CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

  CREATE TABLE leases (
    resource TEXT PRIMARY KEY,
    fence INTEGER NOT NULL,
    holder TEXT NOT NULL,
    ttl_ms INTEGER,
    expires_at INTEGER,
    pid INTEGER,
    birth TEXT,
    status TEXT NOT NULL CHECK (status IN ('open', 'released', 'dead'))
  ) WITHOUT ROWID;

  -- Where each subject stands: a projection, written in the commit that moves it.
  CREATE TABLE subjects (
    subject TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    unfinished INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  `,
];

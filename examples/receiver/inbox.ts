import { DatabaseSync } from 'node:sqlite'
import type { Envelope } from './envelope.ts'

/**
 * What has arrived and what is known by it, in one file. An event is in here before its arrival is
 * confirmed, and its id is there once: what comes twice, at the same time or after a crash, is one.
 */
export function openInbox(path: string) {
  const db = new DatabaseSync(path)
  // FULL: a confirmed event must outlive a power cut, for it is not sent again.
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS events (
      id TEXT PRIMARY KEY,
      sequence INTEGER,
      body TEXT NOT NULL,
      handled_at TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS waiting ON events (sequence) WHERE handled_at IS NULL;
    CREATE TABLE IF NOT EXISTS records (
      id TEXT PRIMARY KEY,
      sequence INTEGER NOT NULL,
      json TEXT NOT NULL
    ) STRICT;
  `)
  const keep = db.prepare('INSERT OR IGNORE INTO events (id, sequence, body) VALUES (?, ?, ?)')
  const first = db.prepare(
    'SELECT body FROM events WHERE handled_at IS NULL ORDER BY sequence LIMIT 1',
  )
  const known = db.prepare('SELECT sequence FROM records WHERE id = ?')
  const mark = db.prepare('UPDATE events SET handled_at = ? WHERE id = ?')
  const remember = db.prepare(`
    INSERT INTO records (id, sequence, json) VALUES (?, ?, ?) ON CONFLICT (id)
    DO UPDATE SET sequence = excluded.sequence, json = excluded.json
    WHERE excluded.sequence > sequence`)

  return {
    /** Returns when the event is on the disk: whether it is new. */
    take({ id, sequence }: Envelope, body: string): boolean {
      return keep.run(id, sequence, body).changes === 1
    },

    /** Of those that wait, the one that happened first. */
    next(): Envelope | undefined {
      const row = first.get()
      return row && (JSON.parse(String(row.body)) as Envelope)
    },

    /** Whether something newer is known of its record: it came late, its data is out of date. */
    isLate({ sequence, data }: Envelope): boolean {
      const row = known.get(data.id ?? '')
      return row !== undefined && Number(row.sequence) > Number(sequence)
    },

    /** Keeps the record unless a newer one is known, and is done with the event; both or none. */
    finish({ id, sequence, data }: Envelope): void {
      db.exec('BEGIN IMMEDIATE')
      if (data.id !== undefined && sequence !== null) {
        remember.run(data.id, sequence, JSON.stringify(data))
      }
      mark.run(new Date().toISOString(), id)
      db.exec('COMMIT')
    },
  }
}

export type Inbox = ReturnType<typeof openInbox>

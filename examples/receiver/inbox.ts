import { DatabaseSync } from 'node:sqlite'
import type { WebhookEvent } from './envelope.ts'

/**
 * Stores received events and the newest version of each record in one file. An event is stored
 * before it is confirmed, and its id is the primary key, so duplicates are stored once.
 */
export function openEventInbox(path: string) {
  const db = new DatabaseSync(path)
  // FULL: a confirmed event must survive a power cut, because it is not sent again.
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
    /** Returns once the event is on the disk; true if it is new. */
    take({ id, sequence }: WebhookEvent, body: string): boolean {
      return keep.run(id, sequence, body).changes === 1
    },

    /** The first unhandled event by sequence. */
    next(): WebhookEvent | undefined {
      const row = first.get()
      return row && (JSON.parse(String(row.body)) as WebhookEvent)
    },

    /** Whether a newer version of its record is stored: then the event's data is out of date. */
    isLate({ sequence, data }: WebhookEvent): boolean {
      const row = known.get(data.id ?? '')
      return row !== undefined && Number(row.sequence) > Number(sequence)
    },

    /** Atomically marks the event as handled, and stores its record unless a newer one exists. */
    finish({ id, sequence, data }: WebhookEvent): void {
      db.exec('BEGIN IMMEDIATE')
      if (data.id !== undefined && sequence !== null) {
        remember.run(data.id, sequence, JSON.stringify(data))
      }
      mark.run(new Date().toISOString(), id)
      db.exec('COMMIT')
    },
  }
}

export type EventInbox = ReturnType<typeof openEventInbox>

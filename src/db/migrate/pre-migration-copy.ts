import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ensurePrivateDatabase } from '../sqlite/private-file.ts'

/**
 * Copies the committed state of a SQLite database to `<path>.v<version>`: migrations only go forward,
 * and one may be wrong. The copy gets its final name once it is complete and on the disk. Returns its
 * path.
 */
export function savePreMigrationCopy(path: string, version: number): string {
  const copy = `${path}.v${version}`
  const draft = `${path}.draft`
  rmSync(draft, { force: true })
  // SQLite accepts an existing file if it is empty.
  ensurePrivateDatabase(draft)
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    db.prepare('vacuum into ?').run(draft)
    flush(draft)
    renameSync(draft, copy)
    flush(dirname(path))
    return copy
  } finally {
    db.close()
    rmSync(draft, { force: true })
  }
}

function flush(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

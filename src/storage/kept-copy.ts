import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Keeps a copy of a SQLite database as it is committed, at `<path>.v<version>`: a migration goes
 * forward only, and may be wrong. It gets its name when it is whole and on the disk.
 */
export function keepCopy(path: string, version: number): void {
  const draft = `${path}.draft`
  rmSync(draft, { force: true })
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    db.prepare('vacuum into ?').run(draft)
    flush(draft)
    renameSync(draft, `${path}.v${version}`)
    flush(dirname(path))
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

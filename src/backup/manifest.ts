import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '#core/tx.ts'
import type { Copied } from '#storage/sqlite-copy.ts'
import { damaged } from './damaged.ts'

/** What a backup says of itself, in `manifest.json`. */
export interface Manifest extends Copied {
  /** Of this layout of files; another one is not read. */
  format: 1
  /** The version of the Docket that made it. */
  docket: string
  made_at: string
  engine: Engine
  attachments: {
    kept: 'here' | 'in the bucket'
    /** Files that the backup has. */
    files: number
    bytes: number
    /** Rows whose files were gone or rotten already when it was made, and some of them. */
    missing: number
    examples: string[]
  }
  secret: 'here' | 'apart'
  /** Lines of `SHA256SUMS`, without that of the manifest. */
  files: number
}

export const MANIFEST = 'manifest.json'
export const DATABASE_COPY = 'docket.db'
export const SECRET = 'secret'
/** One file of JSON lines a table, where there is no database file. */
export const TABLES = 'tables'
export const FILES = 'files'

/** The version of this Docket. */
export function versionHere(): string {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  return version
}

/** Reads the manifest of a backup; refuses what is none. */
export async function manifestIn(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch(() => {
    throw damaged(`${directory} has no ${MANIFEST}: it is no backup, or not a whole one.`)
  })
  const manifest = parsed(text)
  if (manifest?.format === 1 && typeof manifest.counts === 'object') return manifest
  throw damaged(`${MANIFEST} is damaged, or of a newer Docket.`)
}

function parsed(text: string): Manifest | undefined {
  try {
    return JSON.parse(text) as Manifest
  } catch {
    return undefined
  }
}

import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE } from '#storage/data-dir.ts'
import { setInSqliteCopy } from '#storage/sqlite-copy.ts'
import { copyHashed, flushNames, flushTree } from './hashed.ts'
import { DATABASE_COPY, FILES, type Manifest, SECRET } from './manifest.ts'
import type { Target } from './restore.ts'
import { linesOf } from './rows.ts'

/** A backup that was read whole and found good. */
export interface Ready {
  from: string
  /** Copies of its database file and its files, in the disk of the data directory. */
  staged: string
  manifest: Manifest
  target: Target
  told(what: string): void
}

/** Puts everything in its place: the rows last, and all at once. */
export async function install({ from, staged, manifest, target, told }: Ready): Promise<void> {
  const { dataDir, databaseUrl, values } = target
  const [database, files] = [join(staged, DATABASE_COPY), join(staged, FILES)]
  if (databaseUrl === undefined) setInSqliteCopy(database, values)
  await flushTree(staged)
  await rm(join(dataDir, FILES), { recursive: true, force: true })
  if (existsSync(files)) await rename(files, join(dataDir, FILES))
  const secret = join(dataDir, SECRET)
  if (manifest.secret === 'here' && target.secret === undefined && !existsSync(secret)) {
    await copyHashed(join(from, SECRET), secret)
  }
  await flushNames(dataDir)
  if (databaseUrl === undefined) await rename(database, join(dataDir, DATABASE))
  else {
    const { loadPostgres } = await import('#storage/postgres-load.ts')
    const { schema, counts } = manifest
    const lines = (table: string) => linesOf(from, table)
    await loadPostgres({ url: databaseUrl, schema, counts, linesOf: lines, values, told })
  }
  await flushNames(dataDir)
  await rm(staged, { recursive: true, force: true })
}

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '#core/api-error.ts'
import type { CopySource, CopyTarget } from '#db/copy/endpoint.ts'
import { openSqliteSource } from '#db/copy/sqlite-source.ts'
import { openSqliteTarget } from '#db/copy/sqlite-target.ts'
import { lockDataDir } from '#db/installation/data-dir.ts'
import { makeDirectory } from '#db/installation/make-directory.ts'
import { deriveSecretProof, parseSecretFile } from '#db/installation/open-store.ts'
import { type EngineMigrationResult, migrateRows, readInstallationValue } from './migrate-rows.ts'

/** A migration from one engine to the other: to PostgreSQL, or to SQLite. */
export type EngineMigrationRequest =
  | { dataDir: string; toUrl: string }
  | { url: string; toDir: string }

/** Moves all rows of an installation that no server uses into an empty database. */
export async function migrateEngine(
  request: EngineMigrationRequest,
  values: Readonly<Record<string, string>>,
  onProgress: (what: string) => void,
): Promise<EngineMigrationResult> {
  if ('toUrl' in request) {
    const { dataDir, toUrl } = request
    return withDataDirLock(dataDir, () =>
      migrate(openSqliteSource(dataDir), () => postgresTarget(toUrl)),
    )
  }
  const { url, toDir } = request
  makeDirectory(toDir, 0o700)
  return withDataDirLock(toDir, () =>
    migrate(postgresSource(url), async (source) => {
      await assertSameSecret(source, toDir)
      return openSqliteTarget(toDir)
    }),
  )

  async function migrate(
    openedSource: Promise<CopySource> | CopySource | undefined,
    openTarget: (source: CopySource) => Promise<CopyTarget>,
  ): Promise<EngineMigrationResult> {
    const source = await openedSource
    if (!source) throw conflict('nothing_to_move', 'There is no Docket database to move.')
    try {
      const target = await openTarget(source)
      // The source may go on by itself: positions in its feed of changes do not belong to the target.
      const all = { ...values, change_history: randomUUID() }
      return await migrateRows(source, target, all, onProgress).finally(target.close)
    } finally {
      await source.close()
    }
  }
}

// Imported when needed, because SQLite alone does not need the memory of the PostgreSQL driver.
const postgresSource = async (url: string) =>
  (await import('#db/copy/postgres-source.ts')).openPostgresSource(url)
const postgresTarget = async (url: string) =>
  (await import('#db/copy/postgres-target.ts')).openPostgresTarget(url)

/** Runs `work` while no server can use the data directory. */
async function withDataDirLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  if (!existsSync(dataDir))
    throw conflict('nothing_to_move', `The directory ${dataDir} does not exist.`)
  const lock = lockDataDir(dataDir)
  if (!lock) throw conflict('store_in_use', `A Docket server uses ${dataDir}. Stop it first.`)
  return work().finally(lock.release)
}

/** A secret in the target directory must be that of the source, or the server would not start. */
async function assertSameSecret(source: CopySource, toDir: string): Promise<void> {
  const path = join(toDir, 'secret')
  const proof = await readInstallationValue(source, 'secret_proof')
  if (!existsSync(path) || proof === undefined) return
  if (deriveSecretProof(parseSecretFile(await readFile(path, 'utf8'), proof)) === proof) return
  const how = 'Remove it, or choose another directory.'
  throw conflict('other_secret', `${path} is not the secret of the source data. ${how}`)
}

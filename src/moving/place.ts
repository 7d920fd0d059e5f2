import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '#core/refusal.ts'
import { lockDataDir } from '#storage/data-dir.ts'
import type { Source, Target } from '#storage/move/end.ts'
import { openSqliteSource } from '#storage/move/sqlite-source.ts'
import { openSqliteTarget } from '#storage/move/sqlite-target.ts'
import { proofOf } from '#storage/open.ts'
import { installationValueOf, type Moved, move } from './move.ts'

/** A move from one engine to the other. */
export type Wanted = { dataDir: string; toUrl: string } | { url: string; toDir: string }

/** Moves all rows of an installation that nobody serves to an empty place. */
export async function moveTo(
  wanted: Wanted,
  values: Readonly<Record<string, string>>,
  told: (what: string) => void,
): Promise<Moved> {
  if ('toUrl' in wanted) {
    const { dataDir, toUrl } = wanted
    return holding(dataDir, () => between(openSqliteSource(dataDir), () => postgresTarget(toUrl)))
  }
  const { url, toDir } = wanted
  await mkdir(toDir, { recursive: true, mode: 0o700 })
  return holding(toDir, () =>
    between(postgresSource(url), async (source) => {
      await refuseSecret(source, toDir)
      return openSqliteTarget(toDir)
    }),
  )

  async function between(
    opening: Promise<Source> | Source | undefined,
    open: (source: Source) => Promise<Target>,
  ): Promise<Moved> {
    const source = await opening
    if (!source) throw conflict('nothing_to_move', 'There is no Docket to be moved.')
    try {
      const target = await open(source)
      return await move(source, target, values, told).finally(target.close)
    } finally {
      await source.close()
    }
  }
}

/** The driver takes memory that the embedded database does without. */
const postgresSource = async (url: string) =>
  (await import('#storage/move/postgres-source.ts')).openPostgresSource(url)
const postgresTarget = async (url: string) =>
  (await import('#storage/move/postgres-target.ts')).openPostgresTarget(url)

/** Does work while no server can have a data directory. */
async function holding<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  if (!existsSync(dataDir)) throw conflict('nothing_to_move', `There is no directory ${dataDir}.`)
  const lock = lockDataDir(dataDir)
  if (!lock) throw conflict('store_in_use', `A Docket serves ${dataDir}: stop it first.`)
  return work().finally(lock.release)
}

/** A secret that lies where the data is to go has to be theirs: a server would not start with another. */
async function refuseSecret(source: Source, toDir: string): Promise<void> {
  const path = join(toDir, 'secret')
  const proof = await installationValueOf(source, 'secret_proof')
  if (!existsSync(path) || proof === undefined) return
  if (proofOf((await readFile(path, 'utf8')).trim()) === proof) return
  const how = 'Take it away, or name another directory.'
  throw conflict('other_secret', `${path} is not the secret of the data that is moved. ${how}`)
}

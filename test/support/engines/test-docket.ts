import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Config, parseConfig } from '#config/config.ts'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { migrateStore, openStore } from '#db/installation/open-store.ts'
import type { TransferTimeouts } from '#http/request/transfer-timeouts.ts'
import { openLog } from '#http/server/log.ts'
import { createJobWorker } from '#jobs/queue/job-worker.ts'
import type { Clock } from '#lib/clock.ts'
import { createApp } from '#server/app.ts'
import { createEmailJobs } from '#server/jobs.ts'
import { afterFile, afterRun } from '../runner/cleanup.ts'
import { recentLog } from '../runner/recent-log.ts'
import { createMemoryTempDir } from '../system/temp-dir.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import { applyWorkspacePerStatement } from './row-level-security.ts'

/** The engines to test: both, unless TEST_ENGINES names one, as `npm run test:quick` does. */
export const ENGINES: readonly DatabaseEngine[] = (['sqlite', 'postgres'] as const).filter(
  (engine) => (process.env.TEST_ENGINES ?? 'sqlite postgres').includes(engine),
)

export interface TestDocket {
  engine: DatabaseEngine
  storage: Storage
  server: FastifyInstance
  config: Config
}

interface StartedDocket extends TestDocket {
  close(): Promise<void>
}

/** The log of the servers in this process: a failing test leaves its last lines. `TEST_LOG=1` prints all. */
export const testLog = process.env.TEST_LOG ? openLog('debug') : recentLog
applyWorkspacePerStatement()
/** Substitutes for the real parts of a Docket under test. */
export interface TestDocketOptions {
  /** The time of everything in it, also of background jobs. */
  clock?: Clock
  /** Whether it sheds load when the event loop lags, as it often does beside other tests. */
  sheds?: boolean
  transferTimeouts?: TransferTimeouts
  /** Failed authentications per minute of an address; out of reach by default. */
  unauthenticatedLimit?: number
}

/** By clock, and then by engine, settings and the other options. */
const docketsByClock = new Map<Clock | undefined, Map<string, Promise<StartedDocket>>>()

/**
 * Opens a Docket on an engine, or returns the one that was opened with the same options. Without
 * options it is shared by all files of the process; otherwise it ends with its file. On PostgreSQL all
 * of them share one database, so no test may start the background work of a server on it.
 */
export function openTestDocket(
  engine: DatabaseEngine,
  env: Record<string, string> = {},
  { clock, sheds = false, transferTimeouts, unauthenticatedLimit }: TestDocketOptions = {},
): Promise<TestDocket> {
  const dockets = docketsByClock.getOrInsertComputed(clock, () => new Map())
  const name = JSON.stringify([engine, env, sheds, transferTimeouts, unauthenticatedLimit])
  return dockets.getOrInsertComputed(name, () => {
    const options = {
      sheds,
      ...(clock && { clock }),
      ...(transferTimeouts && { transferTimeouts }),
      ...(unauthenticatedLimit && { unauthenticatedLimit }),
    }
    const docket = startDocket(engine, env, options)
    const isShared =
      !clock &&
      !sheds &&
      !transferTimeouts &&
      !unauthenticatedLimit &&
      Object.keys(env).length === 0
    const atEnd = isShared ? afterRun : afterFile
    atEnd(async () => {
      dockets.delete(name)
      await (await docket).close()
    })
    return docket
  })
}

/**
 * Settings for a Docket without row-level security, for tests that look for data leaking between
 * workspaces: row-level security would hide such leaks.
 */
export const withoutRowLevelSecurity = (engine: DatabaseEngine): Record<string, string> =>
  engine === 'postgres' ? { DOCKET_DATABASE_URL: process.env.TEST_POSTGRES ?? '' } : {}

/** The directory of a database with Docket's empty tables, which is migrated once per process. */
let migratedDir: Promise<string> | undefined

/** Creates the database by copying a file, since migrating an empty one takes most of its opening. */
async function copyMigratedDatabase(dataDir: string): Promise<void> {
  migratedDir ??= migrateDatabase()
  copyFileSync(join(await migratedDir, DATABASE_FILENAME), join(dataDir, DATABASE_FILENAME))
}

async function migrateDatabase(): Promise<string> {
  const dataDir = createMemoryTempDir()
  await migrateStore({ dataDir, databaseUrl: undefined })
  return dataDir
}

/** A store with the settings of a Docket on this engine, without its server. */
export async function openTestStore(
  engine: DatabaseEngine,
  env: Record<string, string> = {},
  clock?: Clock,
) {
  const dataDir = createMemoryTempDir()
  const config = parseConfig({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_LIMIT_FREE: '1000000',
    DOCKET_LIMIT_PAID: '1000000',
    ...(engine === 'postgres' && { DOCKET_DATABASE_URL: process.env.TEST_POSTGRES_WALLED ?? '' }),
    ...env,
  })
  if (engine === 'sqlite' && config.dataDir === dataDir) await copyMigratedDatabase(dataDir)
  const { storage, secret } = await openStore({ ...config, guard: true, ...(clock && { clock }) })
  return { storage, secret, config }
}

async function startDocket(
  engine: DatabaseEngine,
  env: Record<string, string>,
  { clock, ...options }: TestDocketOptions,
): Promise<StartedDocket> {
  const { storage, secret, config } = await openTestStore(engine, env, clock)
  const { server, mail } = await createApp(storage, config, secret, testLog, undefined, {
    unauthenticatedLimit: 1_000_000,
    ...options,
    ...(clock && { now: clock.now }),
  })
  const kinds = createEmailJobs(mail, config.baseUrl)
  const jobs = createJobWorker({ storage, kinds, log: testLog })
  // On PostgreSQL this needs a database of its own: of those that share one, any sends an email.
  if (mail) jobs.start({ isAlone: false, pollIntervalMs: 20 })
  const close = async () => {
    await server.close()
    await jobs.stop()
    await mail?.close()
    await storage.close()
  }
  return { engine, storage, server, config, close }
}

import type { FastifyInstance } from 'fastify'
import type { Engine, Storage } from '#core/tx.ts'
import { openLog } from '#http/log.ts'
import type { Clock } from '#lib/clock.ts'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { type Config, configFrom } from '../../src/config.ts'
import { emptyDirInMemory } from './dir.ts'
import { atFileEnd, atRunEnd } from './endings.ts'
import { heedWalls } from './walls.ts'

/** The engines that tests run on: both, but where TEST_ENGINES names one (`npm run test:quick`). */
export const ENGINES: readonly Engine[] = (['sqlite', 'postgres'] as const).filter((engine) =>
  (process.env.TEST_ENGINES ?? 'sqlite postgres').includes(engine),
)

/** The same for all, because the PostgreSQL of a run is shared by its test files. */
export const SECRET = 'a secret of the tests only'

export interface Served {
  engine: Engine
  storage: Storage
  server: FastifyInstance
  config: Config
}

export const log = openLog(process.env.TEST_LOG ? 'debug' : 'silent')
heedWalls()
/** What a test may hand to its Docket in place of the real thing. */
export interface Lent {
  /** Where upkeep follows a clock that is moved, the Docket must have a database of its own (`freshDocket`). */
  clock?: Clock
  /** Whether it refuses requests while the event loop runs late, which is no wonder beside other tests. */
  sheds?: boolean
}

/** By clock, and then by engine, settings and whether they shed load. */
const served = new Map<Clock | undefined, Map<string, Promise<Served>>>()

/**
 * A Docket on an engine; the same wishes give the same one. One with wishes of its own ends with its file, the others
 * serve all files of the process.
 */
export function docketOn(
  engine: Engine,
  env: Record<string, string> = {},
  { clock, sheds = false }: Lent = {},
): Promise<Served> {
  const dockets = served.getOrInsertComputed(clock, () => new Map())
  const name = JSON.stringify([engine, env, sheds])
  return dockets.getOrInsertComputed(name, () => {
    const docket = serve(engine, env, { ...(clock && { clock }), sheds })
    const isShared = !clock && !sheds && Object.keys(env).length === 0
    const atEnd = isShared ? atRunEnd : atFileEnd
    atEnd(async () => {
      dockets.delete(name)
      await close(await docket)
    })
    return docket
  })
}

/**
 * The settings of a Docket without walls between workspaces in the database: for tests that look for
 * what shows through, which walls would hide.
 */
export const withoutWalls = (engine: Engine): Record<string, string> =>
  engine === 'postgres' ? { DOCKET_DATABASE_URL: process.env.TEST_POSTGRES ?? '' } : {}

async function serve(
  engine: Engine,
  env: Record<string, string>,
  { clock, sheds = false }: Lent,
): Promise<Served> {
  const dataDir = emptyDirInMemory()
  const config = configFrom({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: SECRET,
    DOCKET_LIMIT_FREE: '1000000',
    DOCKET_LIMIT_PAID: '1000000',
    DOCKET_UNAUTHENTICATED_LIMIT: '1000000',
    ...(engine === 'postgres' && { DOCKET_DATABASE_URL: process.env.TEST_POSTGRES_WALLED ?? '' }),
    ...env,
  })
  const { storage, secret } = await openStore({ ...config, guard: true, ...(clock && { clock }) })
  const { server } = await app(storage, config, secret, log, undefined, { sheds })
  return { engine, storage, server, config }
}

async function close({ server, storage }: Served): Promise<void> {
  await server.close()
  await storage.close()
}

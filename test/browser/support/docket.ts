import type { Engine, Storage } from '#core/tx.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../../src/config.ts'
import { emptyDirInMemory } from '../../support/dir.ts'
import { end, freePort, type Running, SECRET, start } from '../../support/process.ts'

/** A real server in a process of its own, on an empty data directory. */
export interface Docket {
  url: string
  dataDir: string
  /** The same data, beside the server: for people and sessions. */
  storage: Storage
  /** Ends the server as SIGTERM does, or as a power cut does. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again at the same address. */
  start(): Promise<void>
}

/** What a test wants of its server. `alone`: one of its own, because it ends it. */
export interface Wanted {
  engine?: Engine
  env?: Record<string, string>
  alone?: boolean
  /** Where it is known under a name: then `env` has the address with this port. */
  port?: number
}

const known = new Map<string, Promise<Docket>>()
const ends: (() => Promise<void>)[] = []

/** Ends all servers that were started. */
export async function endDockets(): Promise<void> {
  for (const one of ends.splice(0).toReversed()) await one()
}

/** The same wishes in a file get the same server. */
export function docketFor({
  engine = 'sqlite',
  env = {},
  alone = false,
  port,
}: Wanted): Promise<Docket> {
  if (alone) return started(engine, env, port)
  const name = JSON.stringify([engine, env])
  const docket = known.get(name) ?? started(engine, env, port)
  known.set(name, docket)
  return docket
}

/** What of it is for tests alone is loaded for them alone. */
const stores = () => import('../../support/store.ts')

async function started(
  engine: Engine,
  env: Record<string, string>,
  wanted?: number,
): Promise<Docket> {
  const dataDir = emptyDirInMemory()
  const database = engine === 'postgres' ? await (await stores()).emptyDatabase() : undefined
  const settings = { ...env, ...(database && { DOCKET_DATABASE_URL: database.url }) }
  const port = wanted ?? (await freePort())
  const url = env.DOCKET_BASE_URL ?? `http://127.0.0.1:${port}`
  let running: Running | undefined
  const docket = {
    async start() {
      running = await start(dataDir, { port, env: settings })
    },
    async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
      if (running) await end(running, signal)
      running = undefined
    },
  }
  // Also when the process ends without its hooks.
  process.once('exit', () => running?.child.kill('SIGKILL'))
  await docket.start()
  const place = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, DOCKET_BASE_URL: url }
  const { storage } = await openStore(configFrom({ ...place, ...settings }))
  ends.push(async () => {
    await docket.stop('SIGKILL')
    await storage.close()
  })
  return { url, dataDir, storage, ...docket }
}

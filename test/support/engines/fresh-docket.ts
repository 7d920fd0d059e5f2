import type { DatabaseEngine } from '#core/transaction.ts'
import type { Clock } from '#lib/clock.ts'
import { afterFile } from '../runner/cleanup.ts'
import { createMigratedDatabase } from './test-database.ts'
import {
  openTestDocket,
  openTestStore,
  type TestDocket,
  type TestDocketOptions,
} from './test-docket.ts'

let serial = 0

/** A Docket with an empty database that no other test shares. */
export async function openFreshDocket(
  engine: DatabaseEngine,
  env: Record<string, string> = {},
  lent: TestDocketOptions = {},
): Promise<TestDocket> {
  serial += 1
  const own = engine === 'postgres' ? await createDatabaseSettings() : { FRESH: `${serial}` }
  return openTestDocket(engine, { ...env, ...own }, lent)
}

/** The store of such a Docket alone, for tests without requests: it opens in half of the time. */
export async function openFreshStore(engine: DatabaseEngine, clock?: Clock) {
  const own = engine === 'postgres' ? await createDatabaseSettings() : {}
  const { storage, config } = await openTestStore(engine, own, clock)
  afterFile(() => storage.close())
  return { storage, config }
}

const createDatabaseSettings = async () => ({
  DOCKET_DATABASE_URL: (await createMigratedDatabase()).url,
})

/** Returns a function that opens one such Docket for each engine, on its first call. */
export function createFreshDockets(
  env: Record<string, string> = {},
  lent: TestDocketOptions = {},
): (engine: DatabaseEngine) => Promise<TestDocket> {
  const made = new Map<DatabaseEngine, Promise<TestDocket>>()
  return (engine) => made.getOrInsertComputed(engine, () => openFreshDocket(engine, env, lent))
}

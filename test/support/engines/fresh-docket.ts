import type { DatabaseEngine } from '#core/transaction.ts'
import { createMigratedDatabase } from './test-database.ts'
import { openTestDocket, type TestDocket, type TestDocketOptions } from './test-docket.ts'

let serial = 0

/** A Docket with an empty database that no other test shares. */
export async function openFreshDocket(
  engine: DatabaseEngine,
  env: Record<string, string> = {},
  lent: TestDocketOptions = {},
): Promise<TestDocket> {
  serial += 1
  const own =
    engine === 'postgres'
      ? { DOCKET_DATABASE_URL: (await createMigratedDatabase()).url }
      : { FRESH: `${serial}` }
  return openTestDocket(engine, { ...env, ...own }, lent)
}

/** Returns a function that opens one such Docket for each engine, on its first call. */
export function createFreshDockets(
  env: Record<string, string> = {},
  lent: TestDocketOptions = {},
): (engine: DatabaseEngine) => Promise<TestDocket> {
  const made = new Map<DatabaseEngine, Promise<TestDocket>>()
  return (engine) => made.getOrInsertComputed(engine, () => openFreshDocket(engine, env, lent))
}

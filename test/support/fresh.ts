import type { Engine } from '#core/tx.ts'
import { docketOn, type Lent, type Served } from './engines.ts'
import { migratedDatabase } from './store.ts'

let serial = 0

/** A Docket in which nothing was ever made: not even the tests beside share it. */
export async function freshDocket(
  engine: Engine,
  env: Record<string, string> = {},
  lent: Lent = {},
): Promise<Served> {
  serial += 1
  const own =
    engine === 'postgres'
      ? { DOCKET_DATABASE_URL: (await migratedDatabase()).url }
      : { FRESH: `${serial}` }
  return docketOn(engine, { ...env, ...own }, lent)
}

/** One such Docket on each engine, made when it is first asked for. */
export function freshDockets(
  env: Record<string, string> = {},
  lent: Lent = {},
): (engine: Engine) => Promise<Served> {
  const made = new Map<Engine, Promise<Served>>()
  return (engine) => made.getOrInsertComputed(engine, () => freshDocket(engine, env, lent))
}

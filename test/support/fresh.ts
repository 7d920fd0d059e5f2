import type { Engine } from '#core/tx.ts'
import { docketOn, type Served } from './engines.ts'
import { emptyDatabase } from './store.ts'

let serial = 0

/** A Docket in which nothing was ever made: not even the tests beside share it. */
export async function freshDocket(
  engine: Engine,
  env: Record<string, string> = {},
): Promise<Served> {
  serial += 1
  const own =
    engine === 'postgres'
      ? { DOCKET_DATABASE_URL: (await emptyDatabase()).url }
      : { FRESH: `${serial}` }
  return docketOn(engine, { ...env, ...own })
}

import { Registry } from 'prom-client'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { openRateLimitCounter } from '#server/services.ts'
import { reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { createBenchDir } from '../support/seed.ts'

const TIMES = 5_000

/** Measures how long a shared rate limit counter takes, one request at a time. */
export async function measureRateLimits(): Promise<void> {
  await withOwnPostgres(async (databaseUrl) => {
    const config = parseConfig({
      DOCKET_DATABASE_URL: databaseUrl,
      DOCKET_DATA_DIR: createBenchDir(),
    })
    const { storage } = await openStore(config)
    await storage.close()
    await measure('PostgreSQL', { databaseUrl }, 1)
  })
}

type CounterBackend = Parameters<typeof openRateLimitCounter>[0]

async function measure(what: string, where: CounterBackend, most: number): Promise<void> {
  const { counter, ready, close } = await openRateLimitCounter(
    where,
    openLog('silent'),
    new Registry(),
  )
  await ready()
  const end = (Math.floor(Date.now() / 60_000) + 10) * 60_000
  const times: number[] = []
  for (let time = -TIMES / 5; time < TIMES; time += 1) {
    const began = performance.now()
    await counter.spend({ name: 'wsp_bench', end, limit: 1e9 })
    if (time >= 0) times.push(performance.now() - began)
  }
  await close()
  reportFigure(`A limit checked in ${what}, ms`, times, { most })
}

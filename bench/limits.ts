import { Registry } from 'prom-client'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { redisProgram, startRedis } from '#test/support/redis.ts'
import { configFrom } from '../src/config.ts'
import { openCounting } from '../src/counting.ts'
import { benchDir } from './delivery-seed.ts'
import { median, tell } from './figures.ts'
import { onPostgres } from './own-postgres.ts'

const TIMES = 5_000

/** What it costs a request to be counted where other processes see it: one request at a time. */
export async function measureLimits(): Promise<void> {
  if (redisProgram) {
    const redis = await startRedis(redisProgram)
    await measure('Redis', { redisUrl: redis.url, databaseUrl: undefined }, 0.3)
    await redis.kill()
  } else console.log('There is no redis-server here: counting in Redis is not measured.')
  await onPostgres(async (databaseUrl) => {
    const config = configFrom({ DOCKET_DATABASE_URL: databaseUrl, DOCKET_DATA_DIR: benchDir() })
    const { storage } = await openStore(config)
    await storage.close()
    await measure('PostgreSQL', { redisUrl: undefined, databaseUrl }, 1)
  })
}

type Where = Parameters<typeof openCounting>[0]

async function measure(what: string, where: Where, most: number): Promise<void> {
  const { counter, ready, close } = await openCounting(where, openLog('silent'), new Registry())
  await ready()
  const end = (Math.floor(Date.now() / 60_000) + 10) * 60_000
  const times: number[] = []
  for (let time = -TIMES / 5; time < TIMES; time += 1) {
    const began = performance.now()
    await counter.spend('wsp_bench', end, 1e9)
    if (time >= 0) times.push(performance.now() - began)
  }
  await close()
  tell(`A limit checked in ${what}, ms`, median(times), { most })
}

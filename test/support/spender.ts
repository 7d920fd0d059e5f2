import { memoryCounter } from '#limits/counter.ts'
import { redisStore } from '#limits/redis.ts'
import { sharedCounter } from '#limits/shared.ts'
import { rateWindows } from '#storage/rate-windows.ts'

/** What one of several processes is to spend: of each name so much, all at once. */
export interface Spending {
  databaseUrl: string | undefined
  redisUrl: string | undefined
  names: string[]
  each: number
  end: number
  limit: number
}

/** However busy the machine is: here it is not asked what happens when nobody answers. */
const PATIENCE_MS = 30_000

process.once('message', async (message: Spending) => {
  const { databaseUrl, redisUrl, names, each, end, limit } = message
  const store = redisUrl ? redisStore(redisUrl) : databaseUrl ? rateWindows(databaseUrl) : undefined
  await store?.ready()
  const trouble = {
    lost(error: unknown) {
      throw error
    },
    found() {},
  }
  const counter = store
    ? sharedCounter({ ...store, patienceMs: PATIENCE_MS }, trouble)
    : memoryCounter()
  const spent: Record<string, number[]> = {}
  const one = async (name: string) => {
    const at = await counter.spend(name, end, limit)
    if (at !== undefined) spent[name] = [...(spent[name] ?? []), at]
  }
  await Promise.all(names.flatMap((name) => Array.from({ length: each }, () => one(name))))
  await store?.close()
  process.send?.(spent)
})

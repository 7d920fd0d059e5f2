import { Registry } from 'prom-client'
import { openLog } from '#http/log.ts'
import { openCounting } from '../../src/counting.ts'

/** What one of several processes is to spend: of each name so much, all at once. */
export interface Spending {
  databaseUrl: string | undefined
  redisUrl: string | undefined
  names: string[]
  each: number
  end: number
  limit: number
}

process.once('message', async (message: Spending) => {
  const { names, each, end, limit, ...where } = message
  const { counter, ready, close } = openCounting(where, openLog('silent'), new Registry())
  const spent: Record<string, number[]> = {}
  await ready()
  const one = async (name: string) => {
    const at = await counter.spend(name, end, limit)
    if (at !== undefined) spent[name] = [...(spent[name] ?? []), at]
  }
  await Promise.all(names.flatMap((name) => Array.from({ length: each }, () => one(name))))
  await close()
  process.send?.(spent)
})

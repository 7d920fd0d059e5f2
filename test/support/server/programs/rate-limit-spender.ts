import { createRateWindows } from '#db/postgres/rate-windows.ts'
import type { NamedLimit } from '#rate-limits/memory-counter.ts'
import { createSharedCounter } from '#rate-limits/shared-counter.ts'

/** How often this process counts each name against its rate limit, all at the same time. */
export interface SpenderTask {
  databaseUrl: string
  names: string[]
  each: number
  end: number
  limit: number
  /** Limits within the limit of each name, which its requests take in turn; null for none. */
  sublimits?: (NamedLimit | null)[]
}

/** Does each task that it receives, and sends the counts that it got. */
process.on('message', async (message: SpenderTask) => {
  const { databaseUrl, names, each, end, limit, sublimits } = message
  const store = createRateWindows(databaseUrl)
  await store.ready()
  const counter = createSharedCounter(store, {
    onLost(error: unknown) {
      throw error
    },
    onRecovered() {},
  })
  const spent: Record<string, number[]> = {}
  const one = async (name: string, at: number) => {
    const sublimit = sublimits?.[at % sublimits.length]
    const result = await counter.spend({
      name,
      end,
      limit,
      ...(sublimit && { sublimit: { ...sublimit, name: `${name} ${sublimit.name}` } }),
    })
    if (result.refusedBy) return
    spent[name] = [...(spent[name] ?? []), result.used]
    if (!sublimit) return
    const sublimitName = `${name} ${sublimit.name}`
    spent[sublimitName] = [...(spent[sublimitName] ?? []), result.sublimitUsed]
  }
  await Promise.all(names.flatMap((name) => Array.from({ length: each }, (_, at) => one(name, at))))
  await store.close()
  process.send?.(spent)
})

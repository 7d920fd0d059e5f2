import { DatabaseSync } from 'node:sqlite'
import { openLog } from '#http/log.ts'
import { openStore } from '#storage/open.ts'
import { backlogSql } from '#test/storage/backlog.ts'
import { steps } from '#test/storage/backlog-steps.ts'
import { app } from '../src/app.ts'
import { configFrom } from '../src/config.ts'
import { addTasks, addWebhooks, unserved } from './delivery-seed.ts'
import { median, tell } from './figures.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5) * 4
const LITTLE = 1_000
const MUCH = Number(process.env.WAITING ?? 1_000_000)
const WEBHOOKS = 10
/** Those whose speed is told; the others only prepare them. */
const TOLD = ['look', 'emit', 'fan out', 'pick', 'record', 'figures']
const LISTS = ['', 'status=pending', 'status=succeeded', 'event_type=task.created', 'status=failed']

/** The speed of each step of a dispatcher, and of the lists, where a million waits, to a thousand. */
export async function compareBacklogs(): Promise<void> {
  const [little, much] = [await burdened(LITTLE), await burdened(MUCH)]
  console.log(`Speed with ${MUCH} deliveries waiting / with ${LITTLE}`)
  const times = new Map(Object.keys(little.steps).map((name) => [name, { less: [], more: [] }]))
  const timed = async (step: (() => Promise<unknown>) | undefined, into: number[]) => {
    const from = performance.now()
    await step?.()
    into.push(performance.now() - from)
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { less, more }] of times) {
      await timed(little.steps[name], less)
      await timed(much.steps[name], more)
    }
  }
  for (const [name, { less, more }] of times) {
    const [a, b] = [median(less), median(more)]
    tell(`${name} (${a.toFixed(2)} → ${b.toFixed(2)} ms)`, a / b, { least: 0.7 })
  }
  await Promise.all([little.close(), much.close()])
}

async function burdened(deliveries: number) {
  const made = await unserved()
  await addTasks(made, 1)
  const webhooks = await addWebhooks(made, Array(WEBHOOKS).fill('http://127.0.0.1:9/'))
  await made.storage.close()
  const { dataDir, workspace, project, key } = made
  const db = new DatabaseSync(`${dataDir}/docket.db`)
  const events = deliveries / WEBHOOKS
  const since = new Date().toISOString()
  for (const sql of backlogSql({ workspace, webhooks, events, since })) db.exec(sql)
  db.close()
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_LIMIT_PAID: '1000000' })
  const { storage, secret } = await openStore(config)
  const { server } = await app(storage, config, secret, openLog('silent'))
  const all = steps({ storage, workspace, project, webhooks })
  const headers = { authorization: `Bearer ${key}` }
  const list = (query: string) => async () => {
    const url = `/api/v1/webhooks/${webhooks[0]}/deliveries?limit=50&${query}`
    const { statusCode, body } = await server.inject({ url, headers })
    if (statusCode !== 200) throw new Error(body)
  }
  return {
    steps: {
      ...Object.fromEntries(TOLD.map((name) => [name, all[name]])),
      ...Object.fromEntries(LISTS.map((query) => [`list ${query}`, list(query)])),
    } as Record<string, () => Promise<unknown>>,
    async close() {
      await server.close()
      await storage.close()
    },
  }
}

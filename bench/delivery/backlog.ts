import { DatabaseSync } from 'node:sqlite'
import { openStore } from '#db/installation/open-store.ts'
import { openLog } from '#http/server/log.ts'
import { createBacklogSql } from '#test/storage/backlog.ts'
import { createDispatchSteps } from '#test/storage/backlog-steps.ts'
import { parseConfig } from '../../src/config/config.ts'
import { createApp } from '../../src/server/app.ts'
import { median, reportFigure } from '../support/figures.ts'
import { addTasks, addWebhooks, openStoppedInstallation } from './delivery-seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5) * 4
const SMALL_BACKLOG = 1_000
const LARGE_BACKLOG = Number(process.env.WAITING ?? 1_000_000)
const WEBHOOKS = 10
/** The steps whose speed is reported; the others only prepare them. */
const REPORTED_STEPS = ['look', 'emit', 'fan out', 'pick', 'record', 'figures']
const LISTS = ['', 'status=pending', 'status=succeeded', 'event_type=task.created', 'status=failed']

/** Compares each step of a dispatcher and the lists with a backlog of 1,000,000 and of 1,000. */
export async function compareBacklogSizes(): Promise<void> {
  const [little, much] = [
    await openWithBacklog(SMALL_BACKLOG),
    await openWithBacklog(LARGE_BACKLOG),
  ]
  console.log(`Speed with ${LARGE_BACKLOG} deliveries waiting / with ${SMALL_BACKLOG}`)
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
    reportFigure(`${name} (${a.toFixed(2)} → ${b.toFixed(2)} ms)`, a / b, { least: 0.7 })
  }
  await Promise.all([little.close(), much.close()])
}

async function openWithBacklog(deliveries: number) {
  const made = await openStoppedInstallation()
  await addTasks(made, 1)
  const webhooks = await addWebhooks(made, Array(WEBHOOKS).fill('http://127.0.0.1:9/'))
  await made.storage.close()
  const { dataDir, workspace, project, key } = made
  const db = new DatabaseSync(`${dataDir}/docket.db`)
  const events = deliveries / WEBHOOKS
  const since = new Date().toISOString()
  for (const sql of createBacklogSql({ workspace, webhooks, events, since })) db.exec(sql)
  db.close()
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_LIMIT_PAID: '1000000' })
  const { storage, secret } = await openStore(config)
  const { server } = await createApp(storage, config, secret, openLog('silent'))
  const all = createDispatchSteps({ storage, workspace, project, webhooks })
  const headers = { authorization: `Bearer ${key}` }
  const list = (query: string) => async () => {
    const url = `/api/v1/webhooks/${webhooks[0]}/deliveries?limit=50&${query}`
    const { statusCode, body } = await server.inject({ url, headers })
    if (statusCode !== 200) throw new Error(body)
  }
  return {
    steps: {
      ...Object.fromEntries(REPORTED_STEPS.map((name) => [name, all[name]])),
      ...Object.fromEntries(LISTS.map((query) => [`list ${query}`, list(query)])),
    } as Record<string, () => Promise<unknown>>,
    async close() {
      await server.close()
      await storage.close()
    },
  }
}

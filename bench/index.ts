import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { sessionCookie } from '#identity/cookie.ts'
import { beginSession } from '#identity/sessions.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { openLive } from '../test/support/live.ts'
import { median, tell } from './figures.ts'
import { type Docket, startDocket } from './processes.ts'
import { type Seeded, seed } from './seed.ts'

const TASKS = 10_000
const TIMES = 15
const GROUPS = ['none', 'status', 'priority', 'assignee', 'tag', 'due'] as const
const READERS = 20
const WRITES = 100

/** What the web app waits for: the index of a large project, and the news of what others do. */
export async function measureWaiting(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  const config = configFrom({ DOCKET_DATA_DIR: dataDir })
  const { storage } = await openStore(config)
  const seeded = await seed(storage, TASKS)
  const cookies: string[] = []
  for (const user_id of seeded.people) {
    const wanted = { user_id, workspace_id: seeded.workspace, user_agent: 'bench' }
    const { value } = await storage.write(NOBODY, (tx) => beginSession(tx, wanted))
    cookies.push(`${sessionCookie(config.baseUrl)}=${value}`)
  }
  await storage.close()
  const docket = await startDocket(dataDir)
  await indexes(docket, seeded, cookies[0] ?? '')
  await news(docket, seeded, cookies)
  await docket.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function indexes(docket: Docket, { project }: Seeded, cookie: string): Promise<void> {
  const [times, costs, sizes]: [number[], number[], number[]] = [[], [], []]
  for (const group of GROUPS) {
    const url = `${docket.url}/internal/projects/${project}/index?group=${group}`
    for (let time = -3; time < TIMES; time += 1) {
      const used = await docket.cpu()
      const began = performance.now()
      const bytes = await sizeOf(url, cookie)
      if (time < 0) continue
      times.push(performance.now() - began)
      costs.push((await docket.cpu()) - used)
      sizes.push(bytes)
    }
  }
  tell(`Index of ${TASKS} tasks, ms`, median(times), { most: 60 })
  tell('  its processor time with compression, ms', 1000 * median(costs), { most: 40 })
  tell('  its size as sent, kB', Math.max(...sizes) / 1000, { most: 60 })
}

/** Bytes of a reply as they are sent, compressed as for a browser. */
const sizeOf = (url: string, cookie: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { headers: { cookie, 'accept-encoding': 'br' } }, (reply) => {
      if (reply.statusCode !== 200) reject(new Error(`${url}: ${reply.statusCode}`))
      let bytes = 0
      reply.on('data', (chunk) => {
        bytes += chunk.length
      })
      reply.on('end', () => resolve(bytes))
    }).on('error', reject)
  })

/** From when a write is sent until each of those who look on has heard of it. */
async function news(docket: Docket, { key, tasks }: Seeded, cookies: readonly string[]) {
  const port = Number(new URL(docket.url).port)
  const lives = await Promise.all(
    Array.from({ length: READERS }, (_, at) => {
      return openLive(port, { cookie: cookies[at % cookies.length] ?? '' })
    }),
  )
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const [delays, replies]: [number[], number[]] = [[], []]
  for (let write = 0; write < WRITES; write += 1) {
    const began = performance.now()
    const url = `${docket.url}/api/v1/tasks/${tasks[write % tasks.length]}`
    const body = JSON.stringify({ title: `Changed ${write}` })
    await fetch(url, { method: 'PATCH', headers, body }).then((reply) => reply.text())
    replies.push(performance.now() - began)
    for (const live of lives) {
      const [heard] = (await live.until(write + 1)).slice(write)
      delays.push((heard?.at ?? Number.NaN) - began)
    }
    await pause(5)
  }
  for (const live of lives) live.close()
  tell(`Change to notice at ${READERS} others, ms`, median(delays), { most: 50 })
  console.log(`    the reply to who made it: ${median(replies).toFixed(1)} ms`)
}

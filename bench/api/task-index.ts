import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sessionCookieName } from '#auth/sessions/session-cookie.ts'
import { createSession } from '#auth/sessions/sessions.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { parseConfig } from '../../src/config/config.ts'
import { openLiveStream } from '../../test/support/server/live-stream.ts'
import { median, reportFigure } from '../support/figures.ts'
import { type DocketProcess, startDocketProcess } from '../support/processes.ts'
import { type SeededWorkspace, seedWorkspace } from '../support/seed.ts'

const TASKS = 10_000
const TIMES = 15
const GROUPS = ['none', 'status', 'priority', 'assignee', 'tag', 'due'] as const
const READERS = 20
const WRITES = 100

/** Measures what the web app waits for: a large project's index, and live updates from others. */
export async function measureTaskIndex(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir })
  const { storage } = await openStore(config)
  const seeded = await seedWorkspace(storage, TASKS)
  const cookies: string[] = []
  for (const user_id of seeded.people) {
    const wanted = { user_id, workspace_id: seeded.workspace, user_agent: 'bench' }
    const { value } = await storage.write(ANONYMOUS_ACTOR, (tx) => createSession(tx, wanted))
    cookies.push(`${sessionCookieName(config.baseUrl)}=${value}`)
  }
  await storage.close()
  const docket = await startDocketProcess(dataDir)
  await measureIndex(docket, seeded, cookies[0] ?? '')
  await measureLiveUpdates(docket, seeded, cookies)
  await docket.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

async function measureIndex(
  docket: DocketProcess,
  { project }: SeededWorkspace,
  cookie: string,
): Promise<void> {
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
  reportFigure(`Index of ${TASKS} tasks, ms`, times, { most: 60 })
  reportFigure('  its processor time with compression, ms', 1000 * median(costs), { most: 40 })
  reportFigure('  its size as sent, kB', Math.max(...sizes) / 1000, { most: 60 })
}

/** The compressed size of a response, as a browser receives it. */
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

/** Measures the time from sending a write until each live connection has received the change. */
async function measureLiveUpdates(
  docket: DocketProcess,
  { key, tasks }: SeededWorkspace,
  cookies: readonly string[],
) {
  const port = Number(new URL(docket.url).port)
  const lives = await Promise.all(
    Array.from({ length: READERS }, (_, at) => {
      return openLiveStream(port, { cookie: cookies[at % cookies.length] ?? '' })
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
      const [heard] = (await live.waitForEvents(write + 1)).slice(write)
      delays.push((heard?.receivedAt ?? Number.NaN) - began)
    }
    await pause(5)
  }
  for (const live of lives) live.close()
  reportFigure(`Change to notice at ${READERS} others, ms`, delays, { most: 50 })
  console.log(`    the reply to who made it: ${median(replies).toFixed(1)} ms`)
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NOBODY } from '#core/actor.ts'
import { sessionCookie } from '#identity/cookie.ts'
import { beginSession } from '#identity/sessions.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../src/config.ts'
import { median, tell } from './figures.ts'
import { startDocket } from './processes.ts'
import { load, WARM_UP } from './ratio.ts'
import { seed } from './seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 2)
const MOST = 1.1

/**
 * The same requests by a session and by an API key, in turns: what it costs to be signed in. A browser
 * sends other cookies beside.
 */
export async function compareSessions(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  const config = configFrom({ DOCKET_DATA_DIR: dataDir })
  const { storage } = await openStore(config)
  const { key, workspace, people, tasks } = await seed(storage, 1_000)
  const wanted = { user_id: people[0] ?? '', workspace_id: workspace, user_agent: 'bench' }
  const { value } = await storage.write(NOBODY, (tx) => beginSession(tx, wanted))
  await storage.close()
  const docket = await startDocket(dataDir)
  const ways = {
    key: { authorization: `Bearer ${key}` },
    session: { cookie: `theme=dark; ${sessionCookie(config.baseUrl)}=${value}` },
  }
  const path = `/api/v1/tasks/${tasks[7]}`
  const costs = { key: [] as number[], session: [] as number[] }
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const way of ['key', 'session'] as const) {
      const seconds = round < 0 ? WARM_UP : SECONDS
      const { cost } = await load(docket, path, ways[way], undefined, seconds)
      if (round >= 0) costs[way].push(cost)
    }
  }
  await docket.stop()
  rmSync(dataDir, { recursive: true, force: true })
  const each = costs.session.map((cost, at) => cost / (costs.key[at] ?? Number.NaN))
  tell('GET a task by session / by key, by processor time', median(each), { most: MOST })
  const [k, s] = [median(costs.key), median(costs.session)]
  console.log(`    ${s.toFixed(1)} µs against ${k.toFixed(1)} µs each`)
}

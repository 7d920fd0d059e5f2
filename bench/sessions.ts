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
import { families, refreshed } from './refreshes.ts'
import { seed } from './seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 2)
const MOST = 1.1

/**
 * The same requests by a session, by an access token and by an API key, in turns: what it costs to be
 * signed in, and to act for somebody. A browser sends other cookies beside.
 */
export async function compareCredentials(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  const config = configFrom({ DOCKET_DATA_DIR: dataDir })
  const { storage } = await openStore(config)
  const { key, workspace, people, tasks } = await seed(storage, 1_000)
  const wanted = { user_id: people[0] ?? '', workspace_id: workspace, user_agent: 'bench' }
  const { value } = await storage.write(NOBODY, (tx) => beginSession(tx, wanted))
  const [family] = await families(storage, { workspace, user_id: people[0] ?? '', count: 1 })
  await storage.close()
  const docket = await startDocket(dataDir)
  const { access_token } = await refreshed(docket.url, family ?? '')
  const ways = {
    key: { authorization: `Bearer ${key}` },
    token: { authorization: `Bearer ${access_token}` },
    session: { cookie: `theme=dark; ${sessionCookie(config.baseUrl)}=${value}` },
  }
  const path = `/api/v1/tasks/${tasks[7]}`
  const costs = { key: [] as number[], token: [] as number[], session: [] as number[] }
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const way of ['key', 'token', 'session'] as const) {
      const seconds = round < 0 ? WARM_UP : SECONDS
      const { cost } = await load(docket, path, ways[way], undefined, seconds)
      if (round >= 0) costs[way].push(cost)
    }
  }
  await docket.stop()
  rmSync(dataDir, { recursive: true, force: true })
  for (const way of ['session', 'token'] as const) {
    const each = costs[way].map((cost, at) => cost / (costs.key[at] ?? Number.NaN))
    tell(`GET a task by ${way} / by key, by processor time`, median(each), { most: MOST })
    const [k, other] = [median(costs.key), median(costs[way])]
    console.log(`    ${other.toFixed(1)} µs against ${k.toFixed(1)} µs each`)
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionCookieName } from '#auth/sessions/session-cookie.ts'
import { createSession } from '#auth/sessions/sessions.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { parseConfig } from '../../src/config/config.ts'
import { median, reportFigure } from '../support/figures.ts'
import { startDocketProcess } from '../support/processes.ts'
import { seedWorkspace } from '../support/seed.ts'
import { measureLoadCost, WARM_UP_SECONDS } from './bare-server-comparison.ts'
import { createTokenFamilies, refreshTokens } from './token-refreshes.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 2)
const MAX_RATIO = 1.1

/**
 * Compares the cost of the same request with a session, an access token and an API key, in turns.
 * The session request has a second cookie, as from a browser.
 */
export async function compareCredentials(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-bench-'))
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir })
  const { storage } = await openStore(config)
  const { key, workspace, people, tasks } = await seedWorkspace(storage, 1_000)
  const wanted = { user_id: people[0] ?? '', workspace_id: workspace, user_agent: 'bench' }
  const { value } = await storage.write(ANONYMOUS_ACTOR, (tx) => createSession(tx, wanted))
  const [family] = await createTokenFamilies(storage, {
    workspace,
    user_id: people[0] ?? '',
    count: 1,
  })
  await storage.close()
  const docket = await startDocketProcess(dataDir)
  const { access_token } = await refreshTokens(docket.url, family ?? '')
  const ways = {
    key: { authorization: `Bearer ${key}` },
    token: { authorization: `Bearer ${access_token}` },
    session: { cookie: `theme=dark; ${sessionCookieName(config.baseUrl)}=${value}` },
  }
  const path = `/api/v1/tasks/${tasks[7]}`
  const costs = { key: [] as number[], token: [] as number[], session: [] as number[] }
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const way of ['key', 'token', 'session'] as const) {
      const seconds = round < 0 ? WARM_UP_SECONDS : SECONDS
      const { cost } = await measureLoadCost(docket, { path }, ways[way], seconds)
      if (round >= 0) costs[way].push(cost)
    }
  }
  await docket.stop()
  rmSync(dataDir, { recursive: true, force: true })
  for (const way of ['session', 'token'] as const) {
    const each = costs[way].map((cost, at) => cost / (costs.key[at] ?? Number.NaN))
    reportFigure(`GET a task by ${way} / by key, by processor time`, each, {
      most: MAX_RATIO,
    })
    const [k, other] = [median(costs.key), median(costs[way])]
    console.log(`    ${other.toFixed(1)} µs against ${k.toFixed(1)} µs each`)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { createGrant } from '#auth/oauth/grants.ts'
import { hashOAuthValue, insertOAuthRecord } from '#auth/oauth/oauth-records.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { timestampOf } from '#lib/clock.ts'
import { newToken } from '#lib/token.ts'
import { SCOPES } from '#wire/scopes.ts'
import { parseConfig } from '../../src/config/config.ts'
import { createBenchDir } from '../delivery/delivery-seed.ts'
import { reportFigure } from '../support/figures.ts'
import { withOwnPostgres } from '../support/own-postgres.ts'
import { type DocketProcess, startDocketProcess } from '../support/processes.ts'
import { seedWorkspace } from '../support/seed.ts'

const RATE = 100
const SECONDS = Number(process.env.SECONDS ?? 20)
const WARM_UP_SECONDS = 5
const FAMILIES = 500
/** The application that comes with every installation. */
const APPLICATION = 'app_00000000000000000000000001'

/** Measures token refreshes at a steady rate, without waiting for responses, on both engines. */
export async function measureTokenRefreshes(): Promise<void> {
  await measure('SQLite', {})
  await withOwnPostgres((url) => measure('PostgreSQL', { DOCKET_DATABASE_URL: url }))
}

async function measure(engine: string, env: Record<string, string>): Promise<void> {
  const dataDir = createBenchDir()
  const { storage } = await openStore(parseConfig({ ...env, DOCKET_DATA_DIR: dataDir }))
  const { workspace, people } = await seedWorkspace(storage, 10)
  const of = { workspace, user_id: people[0] ?? '' }
  const tokens = await createTokenFamilies(storage, { ...of, count: FAMILIES })
  await storage.close()
  const docket = await startDocketProcess(dataDir, env)
  await runRefreshes(docket, tokens, WARM_UP_SECONDS)
  const cpu = await docket.cpu()
  const times = await runRefreshes(docket, tokens, SECONDS)
  const each = (1e6 * ((await docket.cpu()) - cpu)) / times.length
  await docket.stop()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  reportFigure(`${RATE} refreshes a second on ${engine}, p99 in ms`, at(0.99), { most: 100 })
  console.log(`    median ${at(0.5).toFixed(1)} ms, ${each.toFixed(0)} µs of processor time each`)
}

/** Returns the milliseconds of each refresh, and updates `tokens` to the newest of each family. */
async function runRefreshes(
  docket: DocketProcess,
  tokens: string[],
  seconds: number,
): Promise<number[]> {
  const times: number[] = []
  const under_way: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; n < RATE * seconds; n += 1) {
    const due = began + (n * 1000) / RATE
    await pause(Math.max(0, due - performance.now()))
    const at = n % tokens.length
    const one = refreshTokens(docket.url, tokens[at] ?? '').then(({ refresh_token }) => {
      tokens[at] = refresh_token
      times.push(performance.now() - due)
    })
    under_way.push(one)
  }
  await Promise.all(under_way)
  return times
}

/** Refreshes once; fails unless the response has tokens. */
export async function refreshTokens(url: string, refresh_token: string) {
  const grant = { grant_type: 'refresh_token', client_id: APPLICATION, refresh_token }
  const reply = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(grant),
  })
  const body = (await reply.json()) as { access_token: string; refresh_token: string }
  if (reply.status !== 200) throw new Error(`A refresh ended so: ${JSON.stringify(body)}`)
  return body
}

/** Authorizes the application `count` times for a person; returns a refresh token of each. */
export function createTokenFamilies(
  storage: Storage,
  { workspace, user_id, count }: { workspace: string; user_id: string; count: number },
): Promise<string[]> {
  const of = { workspace_id: workspace, user_id, application_id: APPLICATION, scopes: SCOPES }
  return storage.write(ANONYMOUS_ACTOR, async (tx) => {
    const tokens: string[] = []
    const iat = Math.floor(tx.nowMs / 1000)
    const exp = iat + 30 * 24 * 60 * 60
    for (let n = 0; n < count; n += 1) {
      const [grant_id, token] = [await createGrant(tx, of), newToken('drt_')]
      const payload = {
        ...{ kind: 'RefreshToken', iat, iiat: iat, exp, rotations: 0, gty: 'authorization_code' },
        ...{ clientId: APPLICATION, accountId: user_id, grantId: grant_id },
        ...{ scope: SCOPES.join(' '), resource: 'the one' },
      }
      await tx.run(insertOAuthRecord, {
        ...{ kind: 'RefreshToken', hash: hashOAuthValue(token), grant_id },
        ...{ parent_hash: null, session_id: null, used_at: null, ended: 0, repeated_at: null },
        ...{ payload: JSON.stringify(payload), expires_at: timestampOf(exp * 1000) },
      })
      tokens.push(token)
    }
    return tokens
  })
}

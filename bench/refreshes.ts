import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { allow } from '#identity/oauth/grants.ts'
import { hashOfValue, insertRecord } from '#identity/oauth/records.ts'
import { timestampOf } from '#lib/clock.ts'
import { newToken } from '#lib/token.ts'
import { openStore } from '#storage/open.ts'
import { SCOPES } from '#wire/scopes.ts'
import { configFrom } from '../src/config.ts'
import { benchDir } from './delivery-seed.ts'
import { tell } from './figures.ts'
import { onPostgres } from './own-postgres.ts'
import { type Docket, startDocket } from './processes.ts'
import { seed } from './seed.ts'

const RATE = 100
const SECONDS = Number(process.env.SECONDS ?? 20)
const WARM_UP_SECONDS = 5
const FAMILIES = 500
/** The application that comes with every installation. */
const APPLICATION = 'app_00000000000000000000000001'

/** Refreshes at a steady rate, whether or not the ones before are answered, on both engines. */
export async function measureRefreshes(): Promise<void> {
  await measure('SQLite', {})
  await onPostgres((url) => measure('PostgreSQL', { DOCKET_DATABASE_URL: url }))
}

async function measure(engine: string, env: Record<string, string>): Promise<void> {
  const dataDir = benchDir()
  const { storage } = await openStore(configFrom({ ...env, DOCKET_DATA_DIR: dataDir }))
  const { workspace, people } = await seed(storage, 10)
  const of = { workspace, user_id: people[0] ?? '' }
  const tokens = await families(storage, { ...of, count: FAMILIES })
  await storage.close()
  const docket = await startDocket(dataDir, env)
  await refreshing(docket, tokens, WARM_UP_SECONDS)
  const cpu = await docket.cpu()
  const times = await refreshing(docket, tokens, SECONDS)
  const each = (1e6 * ((await docket.cpu()) - cpu)) / times.length
  await docket.stop()
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  tell(`${RATE} refreshes a second on ${engine}, p99 in ms`, at(0.99), { most: 100 })
  console.log(`    median ${at(0.5).toFixed(1)} ms, ${each.toFixed(0)} µs of processor time each`)
}

/** Gives the milliseconds that each took; `tokens` are the newest of their families afterwards. */
async function refreshing(docket: Docket, tokens: string[], seconds: number): Promise<number[]> {
  const times: number[] = []
  const under_way: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; n < RATE * seconds; n += 1) {
    const due = began + (n * 1000) / RATE
    await pause(Math.max(0, due - performance.now()))
    const at = n % tokens.length
    const one = refreshed(docket.url, tokens[at] ?? '').then(({ refresh_token }) => {
      tokens[at] = refresh_token
      times.push(performance.now() - due)
    })
    under_way.push(one)
  }
  await Promise.all(under_way)
  return times
}

/** Refreshes once; fails unless it is answered with tokens. */
export async function refreshed(url: string, refresh_token: string) {
  const grant = { grant_type: 'refresh_token', client_id: APPLICATION, refresh_token }
  const reply = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(grant),
  })
  const body = (await reply.json()) as { access_token: string; refresh_token: string }
  if (reply.status !== 200) throw new Error(`A refresh ended so: ${JSON.stringify(body)}`)
  return body
}

/** Authorizations of the application for a person: gives a refresh token of each. */
export function families(
  storage: Storage,
  { workspace, user_id, count }: { workspace: string; user_id: string; count: number },
): Promise<string[]> {
  const of = { workspace_id: workspace, user_id, application_id: APPLICATION, scopes: SCOPES }
  return storage.write(NOBODY, async (tx) => {
    const tokens: string[] = []
    const iat = Math.floor(tx.instant / 1000)
    const exp = iat + 30 * 24 * 60 * 60
    for (let n = 0; n < count; n += 1) {
      const [grant_id, token] = [await allow(tx, of), newToken('drt_')]
      const payload = {
        ...{ kind: 'RefreshToken', iat, iiat: iat, exp, rotations: 0, gty: 'authorization_code' },
        ...{ clientId: APPLICATION, accountId: user_id, grantId: grant_id },
        ...{ scope: SCOPES.join(' '), resource: 'the one' },
      }
      await tx.run(insertRecord, {
        ...{ kind: 'RefreshToken', hash: hashOfValue(token), grant_id },
        ...{ parent_hash: null, session_id: null, used_at: null, ended: 0 },
        ...{ payload: JSON.stringify(payload), expires_at: timestampOf(exp * 1000) },
      })
      tokens.push(token)
    }
    return tokens
  })
}

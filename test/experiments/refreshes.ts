import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { openStore } from '#storage/open.ts'
import { queryOfAll } from '#storage/statement.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { type Allowed, clientAt, endAt, ISSUER, settleAllowed } from '../support/oauth-at.ts'
import { freePort } from '../support/port.ts'
import { end, SECRET, start } from '../support/process.ts'
import { until } from '../support/until.ts'

interface How {
  kills: number
  databaseUrl?: string
  entry?: string
}

interface Outcome {
  refreshes: number
  /** How often no answer came. */
  lost: number
  wrong: string[]
}

const CLIENTS = 8

/**
 * Clients that refresh without a pause, at a server that is killed again and again. Whoever hears nothing
 * asks again with what it has: nobody may ever be refused, and nothing be half done.
 */
export async function refreshed({ kills, databaseUrl, entry }: How): Promise<Outcome> {
  const dataDir = emptyDir()
  const env = {
    DOCKET_BASE_URL: ISSUER,
    ...(databaseUrl !== undefined && { DOCKET_DATABASE_URL: databaseUrl }),
  }
  const { app, tokens }: Allowed = await settleAllowed(dataDir, CLIENTS, { env })
  const { refresh } = clientAt(app)
  const outcome: Outcome = { refreshes: 0, lost: 0, wrong: [] }
  const port = await freePort()
  let running = await start(dataDir, { env, entry, port })
  let over = false
  const clients = Promise.all(tokens.map(refreshing))
  for (let killed = 0; killed < kills && outcome.wrong.length === 0; killed += 1) {
    const before = outcome.refreshes
    const enough = before + CLIENTS * (1 + 2 * Math.random())
    await until('refreshes', () => outcome.refreshes >= enough || outcome.wrong.length > 0)
    await end(running, 'SIGKILL')
    running = await start(dataDir, { env, entry, port })
  }
  over = true
  await clients
  for (const { access_token } of tokens) {
    const is = await endAt(port, access_token)
    if (is !== '200') outcome.wrong.push(`the newest access token: ${is}`)
  }
  await end(running, 'SIGKILL')
  outcome.wrong.push(...(await halfDone(dataDir, env)))
  return outcome

  async function refreshing(_: object, at: number): Promise<void> {
    let isLost = false
    while ((!over || isLost) && outcome.wrong.length === 0) {
      const said = await refresh(port, tokens[at]?.refresh_token).catch(() => undefined)
      isLost = said === undefined
      if (!said) {
        outcome.lost += 1
        await pause(100)
      } else if (said.status === 200) {
        Object.assign(tokens[at] ?? {}, said)
        outcome.refreshes += 1
      } else outcome.wrong.push(`client ${at}: ${said.status} ${said.text}`)
    }
  }
}

/** What of the tokens that are kept does not fit together. */
async function halfDone(dataDir: string, env: Record<string, string>): Promise<string[]> {
  const settings = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, ...env }
  const { storage } = await openStore(configFrom(settings))
  const all = await storage.read(NOBODY, (tx) => tx.all(records, {}))
  await storage.close()
  const refresh = all.filter(({ kind }) => kind === 'RefreshToken')
  const byHash = new Map(refresh.map((one) => [one.hash, one]))
  const replaced = new Set(refresh.map(({ parent_hash }) => parent_hash))
  const wrong: string[] = []
  for (const { hash, parent_hash, used_at } of refresh) {
    if (used_at !== null && !replaced.has(hash)) wrong.push('one was used and has no successor')
    const parent = byHash.get(parent_hash ?? '')
    if (parent_hash !== null && !parent?.used_at) wrong.push('one follows one that was not used')
  }
  const grants = new Set(all.map(({ grant_id }) => grant_id))
  for (const grant of grants) {
    const count = (of: string) =>
      all.filter(({ kind, grant_id }) => kind === of && grant_id === grant).length
    const [access, refreshed] = [count('AccessToken'), count('RefreshToken')]
    if (access !== refreshed) wrong.push(`${refreshed} refresh, ${access} access tokens`)
  }
  return grants.size === CLIENTS ? wrong : [...wrong, `${grants.size} grants are left`]
}

const records = queryOfAll((db) =>
  db
    .selectFrom('oauth_records')
    .select(['kind', 'hash', 'grant_id', 'parent_hash', 'used_at'])
    .where('grant_id', 'is not', null),
)

if (process.argv.includes('--full')) {
  const outcome = await refreshed({ kills: 200 })
  console.log(outcome)
  process.exitCode = outcome.wrong.length > 0 ? 1 : 0
}

import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import {
  type AuthorizedApplication,
  createServerOAuthClient,
  requestOutcome,
  seedAuthorizedApplication,
  TEST_ISSUER,
} from '../../support/oauth/server-oauth-client.ts'
import { endServer, startServer } from '../../support/server/server-process.ts'
import { findFreePort } from '../../support/system/free-port.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { waitUntil } from '../../support/system/wait-until.ts'

interface RefreshOptions {
  kills: number
  databaseUrl?: string
}

interface RefreshResult {
  refreshes: number
  /** How many requests got no reply. */
  lost: number
  wrong: string[]
}

const CLIENTS = 8

/**
 * Runs clients that refresh without a pause against a server that is killed again and again. A
 * client without a reply retries with the token it has: no refresh may be refused, and none be half
 * done.
 */
export async function refreshDuringKills({
  kills,
  databaseUrl,
}: RefreshOptions): Promise<RefreshResult> {
  const dataDir = createTempDir()
  const env = {
    DOCKET_BASE_URL: TEST_ISSUER,
    ...(databaseUrl !== undefined && { DOCKET_DATABASE_URL: databaseUrl }),
  }
  const { app, tokens }: AuthorizedApplication = await seedAuthorizedApplication(dataDir, CLIENTS, {
    env,
  })
  const { refresh } = createServerOAuthClient(app)
  const outcome: RefreshResult = { refreshes: 0, lost: 0, wrong: [] }
  const port = await findFreePort()
  let running = await startServer(dataDir, { env, port })
  let isOver = false
  const clients = Promise.all(tokens.map(runClient))
  for (let killed = 0; killed < kills && outcome.wrong.length === 0; killed += 1) {
    const before = outcome.refreshes
    const killAfter = before + CLIENTS * (1 + 2 * Math.random())
    await waitUntil('refreshes', () => outcome.refreshes >= killAfter || outcome.wrong.length > 0)
    await endServer(running, 'SIGKILL')
    running = await startServer(dataDir, { env, port })
  }
  isOver = true
  await clients
  for (const { access_token } of tokens) {
    const is = await requestOutcome(port, access_token)
    if (is !== '200') outcome.wrong.push(`the newest access token: ${is}`)
  }
  await endServer(running, 'SIGKILL')
  outcome.wrong.push(...(await findHalfDone(dataDir, env)))
  return outcome

  async function runClient(_: object, at: number): Promise<void> {
    let isLost = false
    while ((!isOver || isLost) && outcome.wrong.length === 0) {
      const reply = await refresh(port, tokens[at]?.refresh_token).catch(() => undefined)
      isLost = reply === undefined
      if (!reply) {
        outcome.lost += 1
        await pause(100)
      } else if (reply.status === 200) {
        Object.assign(tokens[at] ?? {}, reply)
        outcome.refreshes += 1
      } else outcome.wrong.push(`client ${at}: ${reply.status} ${reply.text}`)
    }
  }
}

/** Finds stored tokens that do not fit together. */
async function findHalfDone(dataDir: string, env: Record<string, string>): Promise<string[]> {
  const settings = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, ...env }
  const { storage } = await openStore(parseConfig(settings))
  const all = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(tokenRecords, {}))
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
    // A repeated refresh of a public application stores another access token only.
    if (access < refreshed) wrong.push(`${refreshed} refresh, ${access} access tokens`)
  }
  return grants.size === CLIENTS ? wrong : [...wrong, `${grants.size} grants are left`]
}

const tokenRecords = unscopedQuery((db) =>
  db
    .selectFrom('oauth_records')
    .select(['kind', 'hash', 'grant_id', 'parent_hash', 'used_at'])
    .where('grant_id', 'is not', null),
)

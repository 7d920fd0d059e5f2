import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { BASE_ENV } from '#test/cli/run-cli.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { afterFile } from '#test/support/runner/cleanup.ts'
import { readAuditEntriesSince } from '#test/support/scenario/expected-audit-entries.ts'
import { collectOutput } from '#test/support/system/child-processes.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { type ConsentAnswer, signInPerson } from '#test/support/world/signed-in-person.ts'
import { setTestPassword, TEST_PASSWORD } from '#test/support/world/test-password.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { Docket, DocketError, getMe, listTasks } from '../../sdk/src/index.ts'
import {
  createAuthorizationRequest,
  createMemoryStore,
  createTokenSource,
  exchangeCode,
  type OAuthApplication,
  type OAuthGrant,
  signOut,
} from '../../sdk/src/oauth.ts'
import { createFileStore } from '../../sdk/src/oauth-node.ts'
import type { OAuthProcessTask } from './oauth-process.ts'

const REDIRECT_URI = 'http://127.0.0.1:1/callback'
const TYPES = ['public', 'confidential'] as const

/** The base URL is that of the server, because it is the issuer. */
const baseUrl = `http://127.0.0.1:${await findFreePort()}`

async function startSignIn({ type = 'public' }: { type?: (typeof TYPES)[number] } = {}) {
  const docket = await openTestDocket('sqlite', { DOCKET_BASE_URL: baseUrl })
  const { server, storage } = docket
  if (!server.server.listening) {
    await server.listen({ host: '127.0.0.1', port: Number(new URL(baseUrl).port) })
  }
  const team = await createTestWorkspace(storage)
  const { id, secret } = await createTestApplication(docket, team, {
    type,
    redirect_uris: [REDIRECT_URI],
  })
  const application: OAuthApplication = {
    baseUrl,
    clientId: id,
    ...(secret !== undefined && { clientSecret: secret }),
  }
  const person = await signInPerson(
    baseUrl,
    await setTestPassword(storage, team, 'member'),
    TEST_PASSWORD,
  )

  /** Sends the person to Docket; returns the attempt and the address at which they come back. */
  async function authorize(answer?: ConsentAnswer) {
    const request = await createAuthorizationRequest(application, {
      redirectUri: REDIRECT_URI,
      scopes: ['tasks:read', 'projects:read'],
    })
    const { address } = await person.open(request.url, answer)
    return { request, back: address }
  }

  async function signIn(): Promise<OAuthGrant> {
    const { request, back } = await authorize()
    return exchangeCode(application, back, request)
  }

  async function listGrantActions(): Promise<string[]> {
    const entries = await readAuditEntriesSince(storage, { [team.workspace]: 0 }, new Set())
    return entries.map(({ action }) => action).filter((action) => action.startsWith('grant.'))
  }

  async function revokeGrants(): Promise<void> {
    const grants = new URL('/internal/grants', baseUrl)
    const { data } = (await (await person.send(grants)).json()) as { data: { id: string }[] }
    for (const { id } of data)
      await person.send(new URL(`/internal/grants/${id}`, baseUrl), 'DELETE')
  }

  return { application, team, baseUrl, authorize, signIn, listGrantActions, revokeGrants }
}

/** The grant, with an access token that has expired by the clock of the application. */
const expire = (grant: OAuthGrant): OAuthGrant => ({
  ...grant,
  expires_at: new Date(Date.now() + 59_000).toISOString(),
})

/** `fetch` that counts requests, and loses the replies that `isLost` names by their number. */
function createCountingFetch(isLost = (_: number) => false) {
  const sent: string[] = []
  const counting: typeof fetch = async (input, init) => {
    sent.push(String(input))
    const reply = await fetch(input, init)
    if (isLost(sent.length)) throw new TypeError('connection lost')
    return reply
  }
  return { sent, fetch: counting }
}

for (const type of TYPES) {
  test(`signs a person in, refreshes and signs out, as ${type}`, async () => {
    const { application, team, baseUrl, authorize, listGrantActions } = await startSignIn({
      type,
    })
    const { request, back } = await authorize()
    assert.equal(`${back.origin}${back.pathname}`, REDIRECT_URI)
    // The path alone will do, as a server of Node has it.
    const grant = await exchangeCode(application, back.pathname + back.search, request)
    assert.equal(grant.scope, 'projects:read tasks:read')
    const lifetimeMs = Date.parse(grant.expires_at) - Date.now()
    assert.ok(lifetimeMs > 3_590_000 && lifetimeMs <= 3_600_000, grant.expires_at)

    const store = createMemoryStore(grant)
    const docket = new Docket({ baseUrl, token: createTokenSource(application, store) })
    const { user, credential } = await getMe(docket)
    assert.equal(user.id, team.people.member)
    assert.equal(credential.type, 'oauth')
    assert.equal((await store.read())?.access_token, grant.access_token, 'none was needed')

    await store.write(expire(grant))
    await listTasks(docket, {}).toArray()
    const refreshed = await store.read()
    assert.notEqual(refreshed?.access_token, grant.access_token)
    assert.notEqual(refreshed?.refresh_token, grant.refresh_token)

    await signOut(application, store)
    assert.equal(await store.read(), undefined)
    await assert.rejects(getMe(docket), { name: 'OAuthError', code: 'not_signed_in' })
    const old = new Docket({ baseUrl, token: refreshed?.access_token ?? '' })
    await assert.rejects(getMe(old), { code: 'invalid_token' })
    await signOut(application, store)
    assert.deepEqual(await listGrantActions(), ['grant.created', 'grant.ended'])
  })

  test(`a refresh whose reply is lost does not sign anybody out, as ${type}`, async () => {
    const { application, baseUrl, signIn } = await startSignIn({ type })
    const { sent, fetch } = createCountingFetch((number) => number <= 2)
    const store = createMemoryStore(expire(await signIn()))
    const token = createTokenSource({ ...application, fetch }, store)
    await getMe(new Docket({ baseUrl, token }))
    assert.equal(sent.length, 3)
    await store.write(expire((await store.read()) ?? assert.fail('a grant')))
    await getMe(new Docket({ baseUrl, token }))
    assert.equal(sent.length, 4)
  })
}

test('checks state and iss before the code, and reports a denial', async () => {
  const { application, baseUrl, authorize, listGrantActions } = await startSignIn()
  const { request, back } = await authorize()
  const other = await createAuthorizationRequest(application, {
    redirectUri: REDIRECT_URI,
    scopes: ['tasks:read'],
  })
  assert.notEqual(other.state, request.state)
  const changed = (name: string, value?: string) => {
    const next = new URL(back)
    if (value === undefined) next.searchParams.delete(name)
    else next.searchParams.set(name, value)
    return next
  }
  const exchange = (address: URL, attempt = request) => exchangeCode(application, address, attempt)
  const wrong: [code: string, work: Promise<OAuthGrant>][] = [
    ['state_mismatch', exchange(back, other)],
    ['state_mismatch', exchange(changed('state', `${request.state}x`))],
    ['state_mismatch', exchange(changed('state'))],
    ['state_mismatch', exchange(changed('state', ''), { ...request, state: '' })],
    ['issuer_mismatch', exchange(changed('iss', 'https://docket.example.com'))],
    ['issuer_mismatch', exchange(changed('iss', `${baseUrl}/`))],
    ['issuer_mismatch', exchange(changed('iss'))],
  ]
  for (const [code, work] of wrong) {
    await assert.rejects(work, { name: 'OAuthError', code })
  }
  assert.deepEqual(await listGrantActions(), ['grant.created'], 'no code was sent')
  await exchange(back)
  const again = { name: 'OAuthError', code: 'invalid_grant', status: 400 }
  await assert.rejects(exchange(back), again)

  const next = await authorize()
  const verifier = { ...next.request, codeVerifier: other.codeVerifier }
  await assert.rejects(exchange(next.back, verifier), again)

  const denied = await authorize({ decision: 'deny' })
  const denial = { name: 'OAuthError', code: 'access_denied', message: /denied/ }
  await assert.rejects(exchange(denied.back, denied.request), denial)
  const forged = { ...denied.request, state: other.state }
  await assert.rejects(exchange(denied.back, forged), { code: 'state_mismatch' })
})

test('sends a code once, also if the reply is lost', async () => {
  const { application, authorize } = await startSignIn()
  const { request, back } = await authorize()
  const { sent, fetch } = createCountingFetch(() => true)
  const work = exchangeCode({ ...application, fetch }, back, request)
  await assert.rejects(work, { name: 'DocketError', code: 'network_error' })
  assert.equal(sent.length, 1)
})

test('refreshes an access token that the server refuses, once for all calls', async () => {
  const { application, baseUrl, signIn } = await startSignIn()
  const store = createMemoryStore({ ...(await signIn()), access_token: 'dat_unknown' })
  const { sent, fetch } = createCountingFetch()
  const create = () =>
    new Docket({ baseUrl, token: createTokenSource({ ...application, fetch }, store) })
  // Two that share a store, as two processes do.
  const dockets = [create(), create()]
  const calls = dockets.flatMap((docket) => Array.from({ length: 20 }, () => getMe(docket)))
  await Promise.all(calls)
  assert.deepEqual(sent, [`${baseUrl}/oauth/token`])
})

test('says that the person must sign in again, or that the server is away', async () => {
  const { application, signIn, revokeGrants } = await startSignIn()
  const store = createMemoryStore(expire(await signIn()))
  const away: OAuthApplication = { ...application, baseUrl: 'http://127.0.0.1:1' }
  const error = { name: 'DocketError', code: 'network_error', status: undefined }
  await assert.rejects(async () => createTokenSource(away, store)(), error)
  const limited = async () => Response.json({ error: { code: 'limited' } }, { status: 429 })
  const busy = createTokenSource({ ...application, fetch: limited }, store)
  await assert.rejects(async () => busy(), { name: 'DocketError', code: 'limited', status: 429 })
  await revokeGrants()
  const loadToken = createTokenSource(application, store)
  const ended = { name: 'OAuthError', code: 'invalid_grant', status: 400 }
  await assert.rejects(async () => loadToken(), ended)
  const { clientId, ...rest } = application
  const unknownId = clientId.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const foreign = createTokenSource({ ...rest, clientId: unknownId }, store)
  await assert.rejects(
    async () => foreign(),
    (thrown) => {
      return thrown instanceof DocketError && thrown.code === 'invalid_client'
    },
  )
})

// Confidential applications have the shorter window, and tokens of their own for each that refreshes.
test('three processes refresh one grant thirty times', async () => {
  const { application, baseUrl, signIn, listGrantActions } = await startSignIn({
    type: 'confidential',
  })
  const file = join(createTempDir(), 'grant.json')
  const store = createFileStore(file)
  await store.write(expire(await signIn()))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const processes = Array.from({ length: 3 }, () =>
    startProcess({ does: 'refresh', file, application, times: 10 }),
  )
  const results = await Promise.all(processes.map(({ ended }) => ended))
  assert.deepEqual(results, Array(3).fill({ code: 0, signal: null, stdout: '10\n', stderr: '' }))
  // No refresh token was used twice, which the server would have noted.
  assert.deepEqual(await listGrantActions(), ['grant.created'])
  const token = createTokenSource(application, store)
  await getMe(new Docket({ baseUrl, token }))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(dirname(file)), ['grant.json'])
})

function startProcess(task: OAuthProcessTask) {
  const child = spawn(process.execPath, ['test/sdk/oauth-process.ts', JSON.stringify(task)], {
    env: BASE_ENV,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  afterFile(() => child.kill('SIGKILL'))
  return collectOutput(child)
}

/** A file for a grant, and one for what processes write about its lock. */
function createLockedFile() {
  const folder = createTempDir()
  const [file, log] = [join(folder, 'grant.json'), join(folder, 'log')]
  writeFileSync(log, '')
  const lock = (times: number, forMs: number) =>
    startProcess({ does: 'lock', file, log, times, forMs })
  const readLines = () => readFileSync(log, 'utf8').split('\n').slice(0, -1)

  /** How often a process had the lock while another one had it. One that was killed never ends. */
  function countOverlaps(): number {
    const lines = readLines()
    return lines.filter((line, at) => {
      const previous = lines[at - 1] ?? '-'
      if (line.startsWith('-')) return previous !== line.replace('-', '+')
      return previous.startsWith('+') && lines.slice(at).includes(previous.replace('+', '-'))
    }).length
  }

  return { folder, file, lock, readLines, countOverlaps, store: createFileStore(file) }
}

const pass = async () => {}

test('nobody takes the lock of a process that is suspended', async () => {
  const { file, folder, lock, readLines, store } = createLockedFile()
  const { child, ended } = lock(1, 0)
  await waitUntil('the lock', () => readLines().length === 1)
  child.kill('SIGSTOP')
  // As many as some kernels refuse, of which only some want the lock: each would wake all others.
  const socket = join(folder, readlinkSync(`${file}.lock`))
  const connections = Array.from({ length: 140 }, () => connect(socket).on('error', () => {}))
  afterFile(() => {
    for (const connection of connections) connection.destroy()
  })
  const others = Array.from({ length: 5 }, () => store.withLock(pass))
  await pause(300)
  assert.equal(readLines().length, 1)
  child.kill('SIGCONT')
  await Promise.all(others)
  assert.equal((await ended).code, 0)
  assert.deepEqual(readdirSync(folder), ['log'])
})

test('processes that are killed with the lock, or waiting for it, let one other have it', async () => {
  const { file, lock, readLines, countOverlaps, store } = createLockedFile()
  // What is left of a process that was killed, and of one that was killed while it removed such remains.
  await leaveDeadLock(`${file}.lock`)
  await leaveDeadLock(`${file}.lock.x`)
  const survivors = Array.from({ length: 3 }, () => lock(40, 3))
  for (let kills = 0; kills < 4; kills += 1) {
    const { child, ended } = lock(1_000, 3)
    await waitUntil('that it had the lock', () => readLines().includes(`+${child.pid}`))
    await pause(10 * kills)
    child.kill('SIGKILL')
    await ended
  }
  const results = await Promise.all(survivors.map(({ ended }) => ended))
  assert.deepEqual(results, Array(3).fill({ code: 0, signal: null, stdout: '', stderr: '' }))
  await store.withLock(pass)
  assert.equal(countOverlaps(), 0)
})

test('creates the folder of a file, and says that a path is too long for a lock', async () => {
  const folder = createTempDir()
  // At once, and with room for the lock under which that of a process that died is removed.
  const longest = join(folder, 'x'.repeat(87 - Buffer.byteLength(`${folder}/`)))
  assert.throws(() => createFileStore(`${longest}x`), /too long for a lock beside it, by 1 bytes/)
  await leaveDeadLock(`${longest}.lock`)
  await createFileStore(longest).withLock(pass)
  const store = createFileStore(join(folder, 'new', 'app', 'grant.json'))
  assert.equal(await store.read(), undefined)
  await store.withLock(pass)
  assert.equal(statSync(join(folder, 'new')).mode & 0o777, 0o700)
})

/** Leaves a lock as a process does that is killed. */
async function leaveDeadLock(path: string): Promise<void> {
  const socket = `${path}.dead`
  const source = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`
  await once(spawn(process.execPath, ['-e', source]), 'close')
  symlinkSync(basename(socket), path)
}

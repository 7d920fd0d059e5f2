import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { waitUntil } from '../support/system/wait-until.ts'
import { startDeliveryReceiver } from '../support/webhooks/delivering-docket.ts'
import { BASE_ENV, CLI_ENTRY, type CliEnv, newInstallation, spawnServer } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

/** One delivery, as `webhook listen --json` prints it. */
interface ListenedDelivery {
  event: { type: string; sequence: number; data: { id: string; title?: string } }
  headers: Record<string, string>
  verified: boolean
  forwarded_status: number | null
}

const installation = await newInstallation({ DOCKET_DRAIN_SECONDS: '0' })
const { env, url } = installation
const server = await spawnServer(env)
after(() => {
  server.child.kill('SIGKILL')
  installation.remove()
})

/** Creates a workspace with a project, and returns a client for it. */
async function createWorkspaceWithProject() {
  const owner = ['--name', 'Acme', '--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  const acme = await runHostedCliJson(env, 'workspace', 'create', ...owner)
  const workspace = ['--workspace', acme.workspace_id ?? '']
  const project = await runHostedCliJson(
    env,
    'project',
    'create',
    ...workspace,
    '--name',
    'Engineering',
  )
  async function ask<T>(path: string, body?: object): Promise<T> {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${acme.api_key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await reply.json()) as T
  }
  const task = (title: string) => ask('/tasks', { project_id: project.id, title })
  const webhooks = async () => (await ask<{ data: CliEnv[] }>('/webhooks')).data
  return { workspace, task, webhooks, ask, owner: acme.user_id }
}

/** Starts `webhook listen` and waits until it listens. */
async function startListener(env: CliEnv, ...words: string[]) {
  const child = spawn(process.execPath, [CLI_ENTRY, 'webhook', 'listen', ...words], {
    env: { ...BASE_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const closed = once(child, 'close')
  await waitUntil(
    'that it listens',
    () => stderr.includes('secret whsec_') || child.exitCode !== null,
  )
  return {
    lines: () => stdout.split('\n').slice(0, -1),
    stderr: () => stderr,
    async end(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal)
      return (await closed)[0]
    },
  }
}

test('webhook listen prints deliveries, and deletes its webhook when it ends', async () => {
  const { workspace, task, webhooks, owner } = await createWorkspaceWithProject()
  const listener = await startListener(env, ...workspace, '--json')
  const [webhook] = await webhooks()
  assert.partialDeepStrictEqual(webhook, { events: ['*'], created_by_id: owner } as object)
  assert.match(webhook?.description ?? '', /^docket webhook listen/)
  await task('First')
  await waitUntil('the event', () => listener.lines().length === 1)
  const line: ListenedDelivery = JSON.parse(listener.lines()[0] ?? '')
  assert.deepEqual(Object.keys(line), ['event', 'headers', 'verified', 'forwarded_status'])
  assert.deepEqual([line.event.type, line.event.data.title], ['task.created', 'First'])
  assert.equal(line.headers['x-service-event'], 'task.created')
  assert.deepEqual([line.verified, line.forwarded_status], [true, null])
  assert.equal(await listener.end('SIGINT'), 0)
  assert.deepEqual(await webhooks(), [])
})

test('webhook listen filters by --events and marks unverified requests', async () => {
  const { workspace, task, webhooks, ask } = await createWorkspaceWithProject()
  const kinds = ['--events', 'task.created,comment.created']
  const listener = await startListener(env, ...workspace, ...kinds)
  const [webhook] = await webhooks()
  const made = (await task('Ship it')) as { id: string }
  await ask(`/tasks/${made.id}/complete`, {})
  await ask(`/tasks/${made.id}/comments`, { body: 'Done\nat last' })
  await waitUntil('both events', () => listener.lines().length === 2)
  const pattern = 'dlv_\\w+ {2}attempt 1 {2}verified$'
  assert.match(
    listener.lines()[0] ?? '',
    new RegExp(`task.created {2}ENG-1 {2}Ship it {2}${pattern}`),
  )
  assert.match(listener.lines()[1] ?? '', new RegExp(`comment.created {2}Done {2}${pattern}`))
  const url = webhook?.url ?? ''
  assert.equal((await fetch(url, { method: 'POST', body: '\u001b[2J' })).status, 204)
  assert.equal((await fetch(new URL('/', url), { method: 'POST', body: '{}' })).status, 404)
  await waitUntil('the forged one', () => listener.lines().length === 3)
  assert.match(listener.lines()[2] ?? '', /^[\d:.]+ {2}no event {2}attempt \? {2}NOT VERIFIED$/)
  assert.equal(await listener.end('SIGTERM'), 0)
})

test('--forward sends the same bytes and headers on and passes the status back', async () => {
  const { workspace, task, webhooks, ask } = await createWorkspaceWithProject()
  const forwardTarget = await startDeliveryReceiver()
  const listener = await startListener(env, ...workspace, '--forward', forwardTarget.url, '--json')
  const [webhook] = await webhooks()
  forwardTarget.answer = (_, response) =>
    response.writeHead(forwardTarget.deliveries.length > 1 ? 204 : 410).end()
  await task('Sent on')
  await waitUntil('the event', () => listener.lines().length === 1)
  const line: ListenedDelivery = JSON.parse(listener.lines()[0] ?? '')
  assert.deepEqual([line.verified, line.forwarded_status], [true, 410])
  const [received] = forwardTarget.deliveries
  assert.deepEqual(JSON.parse(received?.text ?? ''), line.event)
  const { host: _, connection: __, ...headers } = received?.headers ?? {}
  const { host, connection, ...sent } = line.headers
  assert.deepEqual({ ...headers }, sent)
  assert.ok(received?.headers['webhook-signature'])
  await waitUntil('what Docket makes of it', async () => {
    const { disabled_reason } = await ask<CliEnv>(`/webhooks/${webhook?.id}`)
    return disabled_reason === 'gone'
  })
  assert.equal(await listener.end('SIGINT'), 0)

  const nobody = ['--forward', 'http://127.0.0.1:1/', '--json']
  const alone = await startListener(env, ...workspace, ...nobody)
  await task('To nobody')
  await waitUntil('the event', () => alone.lines().length === 1)
  assert.equal(JSON.parse(alone.lines()[0] ?? '').forwarded_status, null)
  assert.equal(await alone.end('SIGINT'), 0)
})

test('a listener removes webhooks of killed listeners, but not of running ones', async () => {
  const { workspace, webhooks } = await createWorkspaceWithProject()
  const running = await startListener(env, ...workspace)
  const [runningWebhook] = await webhooks()
  const killed = await startListener(env, ...workspace)
  await killed.end('SIGKILL')
  assert.equal((await webhooks()).length, 2)
  const next = await startListener(env, ...workspace)
  const remaining = await webhooks()
  assert.deepEqual(
    [remaining.length, remaining.some(({ id }) => id === runningWebhook?.id)],
    [2, true],
  )
  await next.end('SIGINT')
  await running.end('SIGINT')
  assert.deepEqual(await webhooks(), [])
})

test('webhook listen fails on a public server, and for unknown workspaces and events', async () => {
  const publicEnv = { ...env, DOCKET_BASE_URL: 'https://docket.example.com' }
  const refusal = async (env: CliEnv, ...words: string[]) => {
    const { code, stderr } = await runHostedCli(
      env,
      'webhook',
      'listen',
      '--workspace',
      'wsp_x',
      ...words,
    )
    assert.equal(code, 1)
    return JSON.parse(stderr).error
  }
  const { code, message } = await refusal(publicEnv)
  assert.equal(code, 'url_not_allowed')
  assert.match(message, /DOCKET_BASE_URL/)
  assert.equal((await refusal(env)).code, 'not_found')
  assert.equal((await refusal(env, '--events', 'task.made')).code, 'validation_failed')
  assert.equal((await refusal(env, '--events', '*,task.created')).code, 'validation_failed')
  assert.equal((await refusal(env, '--forward', 'ftp://127.0.0.1/')).code, 'validation_failed')
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { receiver, until } from '../support/delivering.ts'
import { answerOf, CLI, docket, newPlace, SURROUNDINGS, serve } from './run.ts'

type Env = Record<string, string>

/** A line of --json. */
interface Line {
  event: { type: string; sequence: number; data: { id: string; title?: string } }
  headers: Record<string, string>
  verified: boolean
  forwarded_status: number | null
}

/** A server with a workspace and a project, and a way to ask it. */
async function served(t: { after(undo: () => void): void }) {
  const place = await newPlace({ DOCKET_DRAIN_SECONDS: '0' })
  const { env, url } = place
  const owner = ['--name', 'Acme', '--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  const acme = await answerOf(env, 'workspace', 'create', ...owner)
  const workspace = ['--workspace', acme.workspace_id ?? '']
  const project = await answerOf(env, 'project', 'create', ...workspace, '--name', 'Engineering')
  const { child } = await serve(env)
  t.after(() => {
    child.kill('SIGKILL')
    place.remove()
  })
  async function ask<T>(path: string, body?: object): Promise<T> {
    const reply = await fetch(`${url}/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${acme.api_key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await reply.json()) as T
  }
  const task = (title: string) => ask('/tasks', { project_id: project.id, title })
  const webhooks = async () => (await ask<{ data: Env[] }>('/webhooks')).data
  return { env, workspace, task, webhooks, ask, owner: acme.user_id }
}

/** The command, once it listens. */
async function listening(env: Env, ...words: string[]) {
  const child = spawn(process.execPath, [CLI, 'webhook', 'listen', ...words], {
    env: { ...SURROUNDINGS, ...env },
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
  await until('that it listens', () => stderr.includes('secret whsec_') || child.exitCode !== null)
  return {
    lines: () => stdout.split('\n').slice(0, -1),
    told: () => stderr,
    async end(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal)
      return (await closed)[0]
    },
  }
}

test('deliveries are shown as they come, beside a server, and the webhook goes with the command', async (t) => {
  const { env, workspace, task, webhooks, owner } = await served(t)
  const listener = await listening(env, ...workspace, '--json')
  const [webhook] = await webhooks()
  assert.partialDeepStrictEqual(webhook, { events: ['*'], created_by_id: owner } as object)
  assert.match(webhook?.description ?? '', /^docket webhook listen/)
  await task('First')
  await until('the event', () => listener.lines().length === 1)
  const line: Line = JSON.parse(listener.lines()[0] ?? '')
  assert.deepEqual(Object.keys(line), ['event', 'headers', 'verified', 'forwarded_status'])
  assert.deepEqual([line.event.type, line.event.data.title], ['task.created', 'First'])
  assert.equal(line.headers['x-service-event'], 'task.created')
  assert.deepEqual([line.verified, line.forwarded_status], [true, null])
  assert.equal(await listener.end('SIGINT'), 0)
  assert.deepEqual(await webhooks(), [])
})

test('kinds are chosen, lines are for people, and what is not from Docket is told', async (t) => {
  const { env, workspace, task, webhooks, ask } = await served(t)
  const kinds = ['--events', 'task.created,comment.created']
  const listener = await listening(env, ...workspace, ...kinds)
  const [webhook] = await webhooks()
  const made = (await task('Ship it')) as { id: string }
  await ask(`/tasks/${made.id}/complete`, {})
  await ask(`/tasks/${made.id}/comments`, { body: 'Done\nat last' })
  await until('both events', () => listener.lines().length === 2)
  const pattern = 'dlv_\\w+ {2}attempt 1 {2}verified$'
  assert.match(
    listener.lines()[0] ?? '',
    new RegExp(`task.created {2}ENG-1 {2}Ship it {2}${pattern}`),
  )
  assert.match(listener.lines()[1] ?? '', new RegExp(`comment.created {2}Done {2}${pattern}`))
  const url = webhook?.url ?? ''
  assert.equal((await fetch(url, { method: 'POST', body: '\u001b[2J' })).status, 204)
  assert.equal((await fetch(new URL('/', url), { method: 'POST', body: '{}' })).status, 404)
  await until('the forged one', () => listener.lines().length === 3)
  assert.match(listener.lines()[2] ?? '', /^[\d:.]+ {2}no event {2}attempt \? {2}NOT VERIFIED$/)
  assert.equal(await listener.end('SIGTERM'), 0)
})

test('another address gets the same bytes and headers, and its answer counts', async (t) => {
  const { env, workspace, task, webhooks, ask } = await served(t)
  const app = await receiver()
  const listener = await listening(env, ...workspace, '--forward', app.url, '--json')
  const [webhook] = await webhooks()
  app.answer = (_, response) => response.writeHead(app.got.length > 1 ? 204 : 410).end()
  await task('Sent on')
  await until('the event', () => listener.lines().length === 1)
  const line: Line = JSON.parse(listener.lines()[0] ?? '')
  assert.deepEqual([line.verified, line.forwarded_status], [true, 410])
  const [got] = app.got
  assert.deepEqual(JSON.parse(got?.text ?? ''), line.event)
  const { host: _, connection: __, ...headers } = got?.headers ?? {}
  const { host, connection, ...sent } = line.headers
  assert.deepEqual({ ...headers }, sent)
  assert.ok(got?.headers['webhook-signature'])
  await until('what Docket makes of it', async () => {
    const { disabled_reason } = await ask<Env>(`/webhooks/${webhook?.id}`)
    return disabled_reason === 'gone'
  })
  assert.equal(await listener.end('SIGINT'), 0)

  const nobody = ['--forward', 'http://127.0.0.1:1/', '--json']
  const alone = await listening(env, ...workspace, ...nobody)
  await task('To nobody')
  await until('the event', () => alone.lines().length === 1)
  assert.equal(JSON.parse(alone.lines()[0] ?? '').forwarded_status, null)
  assert.equal(await alone.end('SIGINT'), 0)
})

test('what a killed listener left behind goes at the next one, and no living one is harmed', async (t) => {
  const { env, workspace, webhooks } = await served(t)
  const living = await listening(env, ...workspace)
  const [kept] = await webhooks()
  const killed = await listening(env, ...workspace)
  await killed.end('SIGKILL')
  assert.equal((await webhooks()).length, 2)
  const next = await listening(env, ...workspace)
  const left = await webhooks()
  assert.deepEqual([left.length, left.some(({ id }) => id === kept?.id)], [2, true])
  await next.end('SIGINT')
  await living.end('SIGINT')
  assert.deepEqual(await webhooks(), [])
})

test('it is refused where Docket does not send to its own machine, and for what is not there', async (t) => {
  const place = await newPlace()
  t.after(place.remove)
  const { env } = place
  const public_ = { ...env, DOCKET_BASE_URL: 'https://docket.example.com' }
  const refusal = async (env: Env, ...words: string[]) => {
    const { code, stderr } = await docket(
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
  const { code, message } = await refusal(public_)
  assert.equal(code, 'url_not_allowed')
  assert.match(message, /DOCKET_BASE_URL/)
  assert.equal((await refusal(env)).code, 'not_found')
  assert.equal((await refusal(env, '--events', 'task.made')).code, 'validation_failed')
  assert.equal((await refusal(env, '--events', '*,task.created')).code, 'validation_failed')
  assert.equal((await refusal(env, '--forward', 'ftp://127.0.0.1/')).code, 'validation_failed')
  assert.ok(existsSync(env.DOCKET_DATA_DIR ?? ''))
})

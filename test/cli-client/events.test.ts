import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { afterFile } from '../support/runner/cleanup.ts'
import { collectOutput } from '../support/system/child-processes.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { startDeliveryReceiver } from '../support/webhooks/delivering-docket.ts'
import { startDocketForClients } from './client-machine.ts'

const { team, post, owner } = await startDocketForClients()

/** Starts a command that runs until it is interrupted, and waits until it follows the event log. */
async function startFollowing(...words: string[]) {
  const child = owner.start(words)
  afterFile(() => child.kill('SIGKILL'))
  const { output, ended } = collectOutput(child)
  if (!words.includes('--json')) {
    await waitUntil('that it waits', () => output.stderr.includes('Ctrl-C ends'))
  }
  return {
    lines: () => output.stdout.split('\n').slice(0, -1),
    async end() {
      child.kill('SIGINT')
      assert.partialDeepStrictEqual(await ended, { code: 0, signal: null }, output.stderr)
    },
  }
}

const newTask = (title: string) => post('/tasks', { project_id: team.project, title })

const stringHeaders = (headers: IncomingHttpHeaders) =>
  Object.entries(headers).map(([name, value]) => [name, String(value)])

test('events follow prints what happens from now on, or after an event, of some types', async () => {
  await newTask('Before')
  const following = await startFollowing('events', 'follow')
  const task = await newTask('After\u2066wards')
  await post(`/tasks/${task.id}/complete`)
  await waitUntil('both events', () => following.lines().length === 2)
  assert.match(
    following.lines().join('\n'),
    /^\d+ {2}[\d:]{8} {2}task\.created {2}ENG-2 Afterwards {2}The owner\n.*task\.completed {2}ENG-2/,
  )
  await following.end()

  const types = ['--type', 'task.completed', '--type', 'comment.created']
  const earlier = await startFollowing('events', 'follow', '--after', '0', ...types, '--json')
  await waitUntil('the completion', () => earlier.lines().length === 1)
  await post(`/tasks/${task.id}/comments`, { body: 'Done' })
  await waitUntil('the comment', () => earlier.lines().length === 2)
  const events = earlier.lines().map((line) => JSON.parse(line).data.type)
  assert.deepEqual(events, ['task.completed', 'comment.created'])
  await earlier.end()

  const unknown = await owner.run(['events', 'follow', '--type', 'task.made'])
  assert.equal(unknown.code, 1)
  const guest = { DOCKET_KEY: team.keys.guest }
  assert.match((await owner.run(['events', 'follow'], { env: guest })).stderr, /owners and admins/i)
})

test('webhooks listen posts each event signed to a local receiver, and shows its status', async () => {
  const receiver = await startDeliveryReceiver()
  const secret = (await owner.text('webhooks', 'listen', '--print-secret')).trim()
  assert.match(secret, /^whsec_/)
  assert.equal(statSync(owner.stateFile('webhook-secret')).mode & 0o777, 0o600)
  const listening = await startFollowing('webhooks', 'listen', receiver.url)
  await newTask('Forwarded')
  await waitUntil('the line', () => listening.lines().length === 1)
  assert.match(
    listening.lines()[0] ?? '',
    /task\.created {2}ENG-\d+ Forwarded {2}The owner {2}→ 200$/,
  )
  const [delivery] = receiver.deliveries
  assert.ok(delivery)
  const { text, headers, event } = delivery
  new Webhook(secret).verify(text, Object.fromEntries(stringHeaders(headers)))
  assert.equal(event.data.title, 'Forwarded')
  assert.deepEqual(
    [headers['x-service-event'], headers['webhook-id'], headers['content-type']],
    ['task.created', event.id, 'application/json'],
  )
  receiver.answer = (_, response) => response.writeHead(500).end()
  await newTask('Refused')
  await waitUntil('the refusal', () => listening.lines().length === 2)
  assert.match(listening.lines()[1] ?? '', /→ 500$/)
  await listening.end()

  const nobody = `http://127.0.0.1:${await findFreePort()}/`
  const unheard = await startFollowing('webhooks', 'listen', nobody, '--after', '0')
  await waitUntil('the failure', () => unheard.lines().length > 0)
  assert.match(unheard.lines()[0] ?? '', /→ the connection was refused/)
  await unheard.end()

  const wrong = await owner.run(['webhooks', 'listen', 'localhost:3000'])
  assert.equal(wrong.code, 2)
})

test('webhooks replay sends events of the log again, and names the webhooks if it must', async () => {
  const none = await owner.run(['webhooks', 'replay', '--from', '1'])
  assert.equal(none.code, 1)
  const hook = { url: 'https://hooks.example.com/one', events: ['*'], is_active: true }
  const { id } = await post('/webhooks', hook)
  const trial = await owner.text('webhooks', 'replay', '--from', '1', '-n')
  assert.match(trial, new RegExp(`POST /api/v1/webhooks/${id}/replay {"from_sequence":1}`))
  const result = await owner.json<{ queued: number }>(
    'webhooks',
    'replay',
    '--from',
    '1',
    '--to',
    '2',
  )
  assert.equal(result.queued, 2)
  await post('/webhooks', { ...hook, url: 'https://hooks.example.com/two' })
  const several = await owner.run(['webhooks', 'replay', '--from', '1'])
  assert.equal(several.code, 1)
  assert.match(several.stderr, /hooks\.example\.com\/one\n.*hooks\.example\.com\/two/)
  assert.equal((await owner.run(['webhooks', 'replay', id])).code, 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import {
  openDeliveringDocket,
  openDeliveringWorkspace,
  startDeliveryReceiver,
} from '#test/support/webhooks/delivering-docket.ts'
import { signBody } from './attempts.ts'

/** As a row that was damaged, or sealed with a secret that is lost. */
const breakSecret = command((db, $: Scoped<{ id: string }>) =>
  db.updateTable('webhooks').set({ sealed_secret: 'unreadable' }).where('id', '=', $.id),
)

for (const engine of ENGINES) {
  let opened: ReturnType<typeof openDeliveringDocket> | undefined
  /** A new workspace on a server that these tests share and that retries at once. */
  const sharing = async () => {
    opened ??= openDeliveringDocket(engine)
    return (await opened).newHome()
  }

  test(`delivers an event right after its commit, signed and unchanged (${engine})`, async () => {
    // It polls once an hour: an event that arrives was sent because of its commit.
    const docket = await openDeliveringWorkspace(engine, {}, { tickMs: 3_600_000 })
    const there = await startDeliveryReceiver()
    const { id: webhook, secret } = await docket.createWebhook(there.url)
    await docket.createTask('Ship the importer')
    await waitUntil('the event', () => there.deliveries.length === 1)
    const [got] = there.deliveries
    assert.ok(got)
    assert.equal(got.event.type, 'task.created')
    assert.equal(got.event.data.title, 'Ship the importer')
    const { headers, text } = got
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['user-agent'], 'Docket-Webhooks/1')
    assert.equal(headers['x-service-event'], 'task.created')
    assert.equal(headers['x-service-attempt'], '1')
    assert.equal(headers['webhook-id'], got.event.id)
    new Webhook(secret).verify(text, headers as Record<string, string>)
    await waitUntil(
      'the record',
      async () => (await docket.deliveries(webhook))[0]?.status === 'succeeded',
    )
    const [latest] = await docket.deliveries(webhook)
    const delivery = await docket.callApi('GET', `/deliveries/${latest?.id}`)
    assert.equal(delivery.id, headers['x-service-delivery'])
    assert.equal(delivery.request.body, text)
    assert.equal(delivery.request.headers['X-Service-Signature'], headers['x-service-signature'])
    assert.deepEqual(
      delivery.attempts.map(({ number, response_body }) => [number, response_body]),
      [[1, 'ok']],
    )
    const { status, last_success_at, failure_count } = await docket.callApi(
      'GET',
      `/webhooks/${webhook}`,
    )
    assert.deepEqual(
      [status, last_success_at, failure_count],
      ['active', delivery.last_attempt_at, 0],
    )
  })

  test(`filters events by type and project (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    await docket.createWebhook(`${there.url}?completed`, { events: ['task.completed'] })
    await docket.createWebhook(`${there.url}?hidden`, { project_ids: [docket.team.hidden] })
    const task = await docket.createTask('Somewhere')
    await docket.callApi('POST', `/tasks/${task}/complete`)
    await docket.callApi('PATCH', `/tasks/${task}`, { project_id: docket.team.hidden })
    await docket.callApi('PATCH', `/tasks/${task}`, {
      project_id: docket.team.project,
      priority: 'low',
    })
    await docket.callApi('PATCH', `/tasks/${task}`, { priority: 'high' })
    await waitUntil('all', () => there.deliveries.length === 3)
    assert.deepEqual(there.deliveries.map(({ event }) => [event.type, event.sequence]).toSorted(), [
      ['task.completed', 2],
      ['task.updated', 3],
      ['task.updated', 4],
    ])
  })

  test(`retries a failing delivery up to ten attempts, then marks it failed (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    there.answer = (_, response) => response.writeHead(500).end('no')
    const { id } = await docket.createWebhook(there.url)
    await docket.createTask('A')
    await waitUntil('the end', async () => (await docket.deliveries(id))[0]?.status === 'failed')
    const [latest] = await docket.deliveries(id)
    const delivery = await docket.callApi('GET', `/deliveries/${latest?.id}`)
    assert.deepEqual(
      [delivery.attempt_count, delivery.error, delivery.response_status, delivery.next_attempt_at],
      [10, 'http_status', 500, null],
    )
    assert.ok(delivery.completed_at)
    assert.deepEqual(
      delivery.attempts.map(({ number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    )
    assert.equal(new Set(there.deliveries.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.deepEqual(
      there.deliveries.map(({ headers }) => headers['x-service-attempt']),
      ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
    )
    const webhook = await docket.callApi('GET', `/webhooks/${id}`)
    assert.deepEqual([webhook.status, webhook.failure_count], ['failing', 10])
    there.answer = (_, response) => response.writeHead(204).end()
    await docket.createTask('B')
    await waitUntil(
      'success',
      async () => (await docket.callApi('GET', `/webhooks/${id}`)).status === 'active',
    )
  })

  test(`a delivery that cannot be signed fails at once, and holds up no other (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    const { id: broken } = await docket.createWebhook(`${there.url}?broken`)
    const { id: sound } = await docket.createWebhook(there.url)
    const { storage, team } = docket
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) =>
      tx.run(breakSecret, { id: broken }),
    )
    const statuses = async (webhook: string) =>
      (await docket.deliveries(webhook)).map(({ status }) => status)
    const task = await docket.createTask('A')
    await docket.callApi('PATCH', `/tasks/${task}`, { priority: 'high' })
    await waitUntil('the failures', async () => `${await statuses(broken)}` === 'failed,failed')
    await waitUntil('the others', async () => `${await statuses(sound)}` === 'succeeded,succeeded')
    const [failed] = await docket.deliveries(broken)
    assert.deepEqual(
      [failed?.attempt_count, failed?.error, failed?.next_attempt_at],
      [1, 'connection_failed', null],
    )
    assert.ok(failed?.completed_at)
    await docket.callApi('POST', `/webhooks/${broken}/rotate-secret`, { overlap_seconds: 0 })
    await docket.callApi('PATCH', `/tasks/${task}`, { priority: 'low' })
    await waitUntil('the next', async () => (await statuses(broken)).at(-1) === 'succeeded')
  })

  test(`a quiet dispatcher retries an attempt when it is due, not at its next poll (${engine})`, async () => {
    const rules = { retrySeconds: [1] }
    const docket = await openDeliveringWorkspace(engine, {}, { rules })
    const there = await startDeliveryReceiver()
    there.answer = (_, response) => {
      response.statusCode = there.deliveries.length === 1 ? 500 : 204
      response.end()
    }
    await docket.createWebhook(there.url)
    await docket.createTask('Ship it')
    await waitUntil('the retry', () => there.deliveries.length === 2)
    const [first, second] = there.deliveries.map(({ elapsedMs }) => elapsedMs)
    // A quiet dispatcher polls each ten seconds.
    assert.ok(Number(second) - Number(first) < 8_000, `from ${first} to ${second} ms`)
  })

  test(`Retry-After delays the next attempt (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    there.answer = (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end()
    const { id } = await docket.createWebhook(there.url)
    await docket.createTask('A')
    const delivery = async () => (await docket.deliveries(id))[0]
    await waitUntil('the attempt', async () => (await delivery())?.attempt_count === 1)
    const { status, last_attempt_at, next_attempt_at } = (await delivery()) ?? assert.fail()
    assert.equal(status, 'pending')
    const waitsMs = Date.parse(next_attempt_at ?? '') - Date.parse(last_attempt_at)
    assert.ok(waitsMs >= 3_600_000, `${waitsMs} ms`)
  })

  test(`delivers events of one subject in order until one has failed four times (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    let failing = ''
    there.answer = ({ event }, response) =>
      response.writeHead(event.id === failing ? 500 : 200).end()
    await docket.createWebhook(there.url)
    await docket.stopSending()
    const [a, b] = [await docket.createTask('a'), await docket.createTask('b')]
    for (const priority of ['low', 'medium', 'high']) {
      for (const task of [a, b]) await docket.callApi('PATCH', `/tasks/${task}`, { priority })
    }
    const { data } = await docket.callApi('GET', '/events')
    failing = data[0]?.id ?? ''
    await docket.startSending()
    await waitUntil('all', () => there.deliveries.length === 8 + 9)
    const of = (task: string) => there.deliveries.filter(({ event }) => event.data.id === task)
    assert.deepEqual(
      of(b).map(({ event }) => event.sequence),
      [2, 4, 6, 8],
    )
    const firsts = of(a).filter(({ headers }) => headers['x-service-attempt'] === '1')
    assert.deepEqual(
      firsts.map(({ event }) => event.sequence),
      [1, 3, 5, 7],
    )
    const third = of(a).findIndex(({ event }) => event.sequence === 3)
    assert.ok(third >= 4, `sequence 3 came after ${third} attempts`)
    assert.ok(
      of(a)
        .slice(0, 4)
        .every(({ event }) => event.sequence === 1),
    )
  })

  test(`410 disables the webhook at once and cancels its pending deliveries (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    there.answer = (_, response) => response.writeHead(410).end()
    const { id } = await docket.createWebhook(there.url)
    await docket.stopSending()
    for (let n = 0; n < 30; n++) await docket.createTask(`${n}`)
    await docket.startSending()
    const webhook = () => docket.callApi('GET', `/webhooks/${id}`)
    await waitUntil('the end', async () => (await webhook()).status === 'disabled')
    assert.equal((await webhook()).disabled_reason, 'gone')
    await waitUntil(
      'no more waits',
      async () => (await docket.deliveries(id, '&status=pending')).length === 0,
    )
    const all = await docket.deliveries(id)
    assert.ok(all.some(({ status }) => status === 'failed'))
    assert.ok(all.filter(({ status }) => status === 'canceled').length > 10)
    // After a stop no attempt is running.
    await docket.stopSending()
    await docket.startSending()
    const sent = there.deliveries.length
    assert.ok(sent < 30, `${sent} were sent`)
    there.answer = (_, response) => response.end()
    await docket.callApi('PATCH', `/webhooks/${id}`, { is_active: true })
    await docket.createTask('new')
    await waitUntil('the new one', () => there.deliveries.length > sent)
    assert.equal(there.deliveries.length, sent + 1)
    assert.equal(there.deliveries.at(-1)?.event.data.title, 'new')
  })

  test(`ignores a 410 from a former URL of the webhook (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    const held: (() => void)[] = []
    there.answer = ({ event }, response) => {
      if (event.data.title === 'new') response.end()
      else held.push(() => response.writeHead(410).end())
    }
    const { id } = await docket.createWebhook(there.url)
    await docket.createTask('old')
    await waitUntil('the attempt', () => held.length === 1)
    await docket.callApi('PATCH', `/webhooks/${id}`, { url: `${there.url}/moved` })
    held[0]?.()
    const webhook = () => docket.callApi('GET', `/webhooks/${id}`)
    await waitUntil('its record', async () => (await webhook()).failure_count === 1)
    await docket.createTask('new')
    await waitUntil('the new one', () =>
      there.deliveries.some(({ event }) => event.data.title === 'new'),
    )
    assert.equal((await webhook()).disabled_reason, null)
  })

  test(`disables a webhook that keeps failing, after enough attempts and time (${engine})`, async () => {
    const failing = async (disableAfterSeconds: number) => {
      const rules = {
        disableAfterSeconds,
        disableAfterAttempts: 3,
        retrySeconds: [0, 0, 0, 1, 0, 0, 0],
      }
      const [docket, there] = [
        await openDeliveringWorkspace(engine, {}, { rules }),
        await startDeliveryReceiver(),
      ]
      there.answer = (_, response) => response.writeHead(503).end()
      const { id } = await docket.createWebhook(there.url)
      await docket.createTask('A')
      const ended = async (status: string) => {
        const delivery = async () => (await docket.deliveries(id))[0]
        await waitUntil(status, async () => (await delivery())?.status === status)
        return docket.callApi('GET', `/webhooks/${id}`)
      }
      return { ended }
    }
    const [brief, patient] = await Promise.all([1, 3_600].map(failing))
    const disabled = await brief?.ended('canceled')
    assert.deepEqual([disabled?.status, disabled?.disabled_reason], ['disabled', 'failures'])
    assert.ok((disabled?.failure_count ?? 0) >= 3)
    const stillFailing = await patient?.ended('failed')
    assert.deepEqual(
      [stillFailing?.status, stillFailing?.failure_count],
      ['failing', 8],
      'not long enough yet',
    )
  })

  test(`sends both signatures during a secret rotation (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    const { id, secret: first } = await docket.createWebhook(there.url)
    const { secret: second } = await docket.callApi('POST', `/webhooks/${id}/rotate-secret`, {})
    await docket.createTask('A')
    await waitUntil('it', () => there.deliveries.length === 1)
    for (const secret of [first, second]) {
      const [got] = there.deliveries
      new Webhook(secret).verify(got?.text ?? '', got?.headers as Record<string, string>)
    }
    const [sent] = there.deliveries
    assert.equal(sent?.headers['x-service-signature'], signBody(sent?.text ?? '', second))
    assert.equal(sent?.headers['x-service-signature-previous'], signBody(sent?.text ?? '', first))
    await docket.callApi('PATCH', `/webhooks/${id}`, { secret: 'quite another one' })
    await docket.createTask('B')
    await waitUntil('the other', () => there.deliveries.length === 2)
    assert.equal(there.deliveries[1]?.headers['x-service-signature-previous'], undefined)
  })

  test(`sends a test event once, alongside pending deliveries (${engine})`, async () => {
    const rules = { retrySeconds: [60] }
    const [docket, there] = [
      await openDeliveringWorkspace(engine, {}, { rules }),
      await startDeliveryReceiver(),
    ]
    there.answer = (_, response) => response.writeHead(500).end()
    const { id } = await docket.createWebhook(there.url)
    await docket.createTask('A')
    await waitUntil('the event', () => there.deliveries.length === 1)
    const testDelivery = await docket.callApi('POST', `/webhooks/${id}/test`)
    await waitUntil('the test', () => there.deliveries.length === 2)
    const delivery = () => docket.callApi('GET', `/deliveries/${testDelivery.id}`)
    await waitUntil('its end', async () => (await delivery()).status === 'failed')
    const { attempt_count, is_test, event_type } = await delivery()
    assert.deepEqual([attempt_count, is_test, event_type], [1, true, 'webhook.test'])
    assert.equal(there.deliveries[1]?.event.type, 'webhook.test')
    assert.equal((await docket.callApi('GET', '/events')).data.length, 1)
  })

  test(`redelivers a delivery and replays past events (${engine})`, async () => {
    const [docket, there] = [await sharing(), await startDeliveryReceiver()]
    await docket.createTasks(60)
    const { id } = await docket.createWebhook(there.url)
    const { queued } = await docket.callApi('POST', `/webhooks/${id}/replay`, { from_sequence: 1 })
    assert.equal(queued, 60)
    await waitUntil('the past', () => there.deliveries.length === 60)
    const sequences = there.deliveries.map(({ event }) => Number(event.sequence))
    assert.equal(new Set(sequences).size, 60)
    const [first] = await docket.deliveries(id)
    const again = await docket.callApi('POST', `/deliveries/${first?.id}/redeliver`)
    await waitUntil('it again', () => there.deliveries.length === 61)
    const last = there.deliveries.at(-1)
    assert.equal(last?.headers['x-service-delivery'], again.id)
    assert.equal(
      last?.text,
      there.deliveries.find(({ event }) => event.id === last?.event.id)?.text,
    )
  })
}

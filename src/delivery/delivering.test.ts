import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { delivering, openDelivering, receiver, until } from '#test/support/delivering.ts'
import { ENGINES } from '#test/support/engines.ts'

for (const engine of ENGINES) {
  let opened: ReturnType<typeof openDelivering> | undefined
  /** A home of its own in a Docket that the tests share, and that retries at once. */
  const sharing = async () => {
    opened ??= openDelivering(engine)
    return (await opened).newHome()
  }

  test(`a commit sends its event at once, as it was written down and signed (${engine})`, async () => {
    // It looks by itself once an hour: an event that comes was sent because of its commit.
    const docket = await delivering(engine, {}, { tickMs: 3_600_000 })
    const there = await receiver()
    const { id: webhook, secret } = await docket.hook(there.url)
    await docket.task('Ship the importer')
    await until('the event', () => there.got.length === 1)
    const [got] = there.got
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
    await until(
      'the record',
      async () => (await docket.deliveries(webhook))[0]?.status === 'succeeded',
    )
    const [listed] = await docket.deliveries(webhook)
    const delivery = await docket.ask('GET', `/deliveries/${listed?.id}`)
    assert.equal(delivery.id, headers['x-service-delivery'])
    assert.equal(delivery.request.body, text)
    assert.equal(delivery.request.headers['X-Service-Signature'], headers['x-service-signature'])
    assert.deepEqual(
      delivery.attempts.map(({ number, response_body }) => [number, response_body]),
      [[1, 'ok']],
    )
    const { status, last_success_at, failure_count } = await docket.ask(
      'GET',
      `/webhooks/${webhook}`,
    )
    assert.deepEqual(
      [status, last_success_at, failure_count],
      ['active', delivery.last_attempt_at, 0],
    )
  })

  test(`a webhook gets the kinds and the projects that it asked for (${engine})`, async () => {
    const [docket, there] = [await sharing(), await receiver()]
    await docket.hook(`${there.url}?completed`, { events: ['task.completed'] })
    await docket.hook(`${there.url}?hidden`, { project_ids: [docket.home.hidden] })
    const task = await docket.task('Somewhere')
    await docket.ask('POST', `/tasks/${task}/complete`)
    await docket.ask('PATCH', `/tasks/${task}`, { project_id: docket.home.hidden })
    await docket.ask('PATCH', `/tasks/${task}`, {
      project_id: docket.home.project,
      priority: 'low',
    })
    await docket.ask('PATCH', `/tasks/${task}`, { priority: 'high' })
    await until('all', () => there.got.length === 3)
    assert.deepEqual(there.got.map(({ event }) => [event.type, event.sequence]).toSorted(), [
      ['task.completed', 2],
      ['task.updated', 3],
      ['task.updated', 4],
    ])
  })

  test(`what fails is tried again, in ten attempts, and then it has failed (${engine})`, async () => {
    const [docket, there] = [await sharing(), await receiver()]
    there.answer = (_, response) => response.writeHead(500).end('no')
    const { id } = await docket.hook(there.url)
    await docket.task('A')
    await until('the end', async () => (await docket.deliveries(id))[0]?.status === 'failed')
    const [listed] = await docket.deliveries(id)
    const delivery = await docket.ask('GET', `/deliveries/${listed?.id}`)
    assert.deepEqual(
      [delivery.attempt_count, delivery.error, delivery.response_status, delivery.next_attempt_at],
      [10, 'http_status', 500, null],
    )
    assert.ok(delivery.completed_at)
    assert.deepEqual(
      delivery.attempts.map(({ number }) => number),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    )
    assert.equal(new Set(there.got.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.deepEqual(
      there.got.map(({ headers }) => headers['x-service-attempt']),
      ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
    )
    const webhook = await docket.ask('GET', `/webhooks/${id}`)
    assert.deepEqual([webhook.status, webhook.failure_count], ['failing', 10])
    there.answer = (_, response) => response.writeHead(204).end()
    await docket.task('B')
    await until(
      'success',
      async () => (await docket.ask('GET', `/webhooks/${id}`)).status === 'active',
    )
  })

  test(`Retry-After puts the next attempt off (${engine})`, async () => {
    const [docket, there] = [await sharing(), await receiver()]
    there.answer = (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end()
    const { id } = await docket.hook(there.url)
    await docket.task('A')
    const delivery = async () => (await docket.deliveries(id))[0]
    await until('the attempt', async () => (await delivery())?.attempt_count === 1)
    const { status, last_attempt_at, next_attempt_at } = (await delivery()) ?? assert.fail()
    assert.equal(status, 'pending')
    const waitsMs = Date.parse(next_attempt_at ?? '') - Date.parse(last_attempt_at)
    assert.ok(waitsMs >= 3_600_000, `${waitsMs} ms`)
  })

  test(`events of a subject wait for one another, until one has failed four times (${engine})`, async () => {
    const [docket, there] = [await sharing(), await receiver()]
    let failing = ''
    there.answer = ({ event }, response) =>
      response.writeHead(event.id === failing ? 500 : 200).end()
    await docket.hook(there.url)
    await docket.stop()
    const [a, b] = [await docket.task('a'), await docket.task('b')]
    for (const priority of ['low', 'medium', 'high']) {
      for (const task of [a, b]) await docket.ask('PATCH', `/tasks/${task}`, { priority })
    }
    const { data } = await docket.ask('GET', '/events')
    failing = data[0]?.id ?? ''
    await docket.begin()
    await until('all', () => there.got.length === 8 + 9)
    const of = (task: string) => there.got.filter(({ event }) => event.data.id === task)
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

  test(`410 disables the webhook at once and cancels what waits (${engine})`, async () => {
    const [docket, there] = [await sharing(), await receiver()]
    there.answer = (_, response) => response.writeHead(410).end()
    const { id } = await docket.hook(there.url)
    await docket.stop()
    for (let n = 0; n < 30; n++) await docket.task(`${n}`)
    await docket.begin()
    const webhook = () => docket.ask('GET', `/webhooks/${id}`)
    await until('the end', async () => (await webhook()).status === 'disabled')
    assert.equal((await webhook()).disabled_reason, 'gone')
    await until(
      'no more waits',
      async () => (await docket.deliveries(id, '&status=pending')).length === 0,
    )
    const all = await docket.deliveries(id)
    assert.ok(all.some(({ status }) => status === 'failed'))
    assert.ok(all.filter(({ status }) => status === 'canceled').length > 10)
    // Nothing is under way any more when it has stopped.
    await docket.stop()
    await docket.begin()
    const sent = there.got.length
    assert.ok(sent < 30, `${sent} were sent`)
    there.answer = (_, response) => response.end()
    await docket.ask('PATCH', `/webhooks/${id}`, { is_active: true })
    await docket.task('new')
    await until('the new one', () => there.got.length > sent)
    assert.equal(there.got.length, sent + 1)
    assert.equal(there.got.at(-1)?.event.data.title, 'new')
  })

  test(`410 of an address that the webhook has left disables nothing (${engine})`, async () => {
    const [docket, there] = [await sharing(), await receiver()]
    const held: (() => void)[] = []
    there.answer = ({ event }, response) => {
      if (event.data.title === 'new') response.end()
      else held.push(() => response.writeHead(410).end())
    }
    const { id } = await docket.hook(there.url)
    await docket.task('old')
    await until('the attempt', () => held.length === 1)
    await docket.ask('PATCH', `/webhooks/${id}`, { url: `${there.url}/moved` })
    held[0]?.()
    const webhook = () => docket.ask('GET', `/webhooks/${id}`)
    await until('its record', async () => (await webhook()).failure_count === 1)
    await docket.task('new')
    await until('the new one', () => there.got.some(({ event }) => event.data.title === 'new'))
    assert.equal((await webhook()).disabled_reason, null)
  })

  test(`a webhook that only fails is disabled, after so many attempts and so long (${engine})`, async () => {
    const failing = async (seconds: string) => {
      const env = {
        DOCKET_WEBHOOK_DISABLE_AFTER_SECONDS: seconds,
        DOCKET_WEBHOOK_DISABLE_AFTER_ATTEMPTS: '3',
        DOCKET_WEBHOOK_RETRY_SECONDS: '0,0,0,1,0,0,0',
      }
      const [docket, there] = [await delivering(engine, env), await receiver()]
      there.answer = (_, response) => response.writeHead(503).end()
      const { id } = await docket.hook(there.url)
      await docket.task('A')
      const ended = async (status: string) => {
        const delivery = async () => (await docket.deliveries(id))[0]
        await until(status, async () => (await delivery())?.status === status)
        return docket.ask('GET', `/webhooks/${id}`)
      }
      return { ended }
    }
    const [brief, patient] = await Promise.all(['1', '3600'].map(failing))
    const disabled = await brief?.ended('canceled')
    assert.deepEqual([disabled?.status, disabled?.disabled_reason], ['disabled', 'failures'])
    assert.ok((disabled?.failure_count ?? 0) >= 3)
    const kept = await patient?.ended('failed')
    assert.deepEqual([kept?.status, kept?.failure_count], ['failing', 8], 'not yet so long')
  })

  test(`while secrets overlap a delivery bears both signatures (${engine})`, async () => {
    const [docket, there] = [await sharing(), await receiver()]
    const { id, secret: first } = await docket.hook(there.url)
    const { secret: second } = await docket.ask('POST', `/webhooks/${id}/rotate-secret`, {})
    await docket.task('A')
    await until('it', () => there.got.length === 1)
    for (const secret of [first, second]) {
      const [got] = there.got
      new Webhook(secret).verify(got?.text ?? '', got?.headers as Record<string, string>)
    }
    assert.match(String(there.got[0]?.headers['x-service-signature-previous']), /^sha256=/)
    await docket.ask('PATCH', `/webhooks/${id}`, { secret: 'quite another one' })
    await docket.task('B')
    await until('the other', () => there.got.length === 2)
    assert.equal(there.got[1]?.headers['x-service-signature-previous'], undefined)
  })

  test(`a test is sent once, beside what waits (${engine})`, async () => {
    const env = { DOCKET_WEBHOOK_RETRY_SECONDS: '60' }
    const [docket, there] = [await delivering(engine, env), await receiver()]
    there.answer = (_, response) => response.writeHead(500).end()
    const { id } = await docket.hook(there.url)
    await docket.task('A')
    await until('the event', () => there.got.length === 1)
    const made = await docket.ask('POST', `/webhooks/${id}/test`)
    await until('the test', () => there.got.length === 2)
    const delivery = () => docket.ask('GET', `/deliveries/${made.id}`)
    await until('its end', async () => (await delivery()).status === 'failed')
    const { attempt_count, is_test, event_type } = await delivery()
    assert.deepEqual([attempt_count, is_test, event_type], [1, true, 'webhook.test'])
    assert.equal(there.got[1]?.event.type, 'webhook.test')
    assert.equal((await docket.ask('GET', '/events')).data.length, 1)
  })

  test(`what was delivered can be sent again, and the past replayed (${engine})`, async () => {
    const [docket, there] = [await sharing(), await receiver()]
    await docket.tasks(600)
    const { id } = await docket.hook(there.url)
    const { queued } = await docket.ask('POST', `/webhooks/${id}/replay`, { from_sequence: 1 })
    assert.equal(queued, 600)
    await until('the past', () => there.got.length === 600)
    const sequences = there.got.map(({ event }) => Number(event.sequence))
    assert.equal(new Set(sequences).size, 600)
    const [first] = await docket.deliveries(id)
    const again = await docket.ask('POST', `/deliveries/${first?.id}/redeliver`)
    await until('it again', () => there.got.length === 601)
    const last = there.got.at(-1)
    assert.equal(last?.headers['x-service-delivery'], again.id)
    assert.equal(last?.text, there.got.find(({ event }) => event.id === last?.event.id)?.text)
  })
}

import assert from 'node:assert/strict'
import { openSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { DatabaseEngine, Storage } from '#core/transaction.ts'
import { openLog } from '#http/server/log.ts'
import { createApp } from '#server/app.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

/** Starts a server that sheds load, with writes that wait for as long as a test says. */
async function startServer(t: TestContext, engine: DatabaseEngine) {
  const { storage, config } = await openTestDocket(engine)
  const wait = { ms: 0 }
  const slowStorage: Storage = {
    ...storage,
    stats: () => ({ ...storage.stats(), oldestWriteWaitMs: wait.ms }),
  }
  const warnings: string[] = []
  const warn = (...args: unknown[]) =>
    warnings.push(args.map((arg) => JSON.stringify(arg)).join(' '))
  const log = Object.assign(openLog('info', openSync('/dev/null', 'w')), { warn })
  const { server } = await createApp(slowStorage, config, TEST_SECRET, log)
  t.after(() => server.close())
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const createSender = async () => {
    const { keys, project } = await createTestWorkspace(storage)
    const headers = { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' }
    const path = `${url}/api/v1/projects/${project}/tags`
    let serial = 0
    const read = () => fetch(path, { headers })
    const write = () => {
      serial += 1
      return fetch(path, { method: 'POST', headers, body: `{"name":"tag ${serial}"}` })
    }
    const writeMany = async (count: number) => {
      const replies = await Promise.all(Array.from({ length: count }, write))
      await Promise.all(replies.map((reply) => reply.arrayBuffer()))
      return replies.filter(({ status }) => status === 201).length
    }
    return { read, write, writeMany }
  }
  return { wait, warnings, createSender }
}

for (const engine of ENGINES) {
  test(`refuses writes while writes wait for storage, and no reads (${engine})`, async (t) => {
    const { wait, warnings, createSender } = await startServer(t, engine)
    const sender = await createSender()
    await waitUntil('writes', async () => (await sender.writeMany(3)) === 3)
    wait.ms = 5_000
    const refused = { code: '', message: '', retryAfter: '' as string | null }
    await waitUntil('a refusal', async () => {
      const reply = await sender.write()
      const { error } = (await reply.json()) as { error?: { code: string; message: string } }
      if (error) Object.assign(refused, error, { retryAfter: reply.headers.get('retry-after') })
      return reply.status === 503
    })
    assert.equal(refused.code, 'unavailable')
    assert.equal(refused.message, 'Docket is overloaded. Try again in a few seconds.')
    assert.equal(refused.retryAfter, '1')
    // The machine may be overloaded itself for a moment, and then reads are refused too.
    await waitUntil('reads', async () => {
      const replies = await Promise.all(Array.from({ length: 40 }, sender.read))
      return replies.every(({ status }) => status === 200)
    })
    assert.ok((await sender.writeMany(40)) < 30)
    wait.ms = 0
    await waitUntil('all writes', async () => (await sender.writeMany(10)) === 10)
    await waitUntil('the end of the overload', () => warnings.length % 2 === 0)
    // The machine may be overloaded itself, before or after.
    for (const [index, line] of warnings.entries()) {
      if (index % 2 === 0) assert.match(line, /^"The server is overloaded: /)
      else assert.match(line, /^\{"refused":\d+,"ms":\d+\} "The overload has ended: /)
    }
    const counts = warnings.map((line) => Number(/"refused":(\d+)/.exec(line)?.[1] ?? 0))
    assert.ok(Math.max(...counts) > 10, warnings.join('\n'))
  })

  test(`a workspace that writes little is served while a noisy one is refused (${engine})`, async (t) => {
    const { wait, createSender } = await startServer(t, engine)
    const [noisy, quiet] = [await createSender(), await createSender()]
    // Their credentials are known from then on.
    for (const { writeMany } of [noisy, quiet])
      await waitUntil('a write', async () => (await writeMany(1)) === 1)
    // Admits what has a chance of more than 1.5 percent: nearly all of one, even in rounds that a busy
    // machine makes long, and none of the other.
    t.mock.method(Math, 'random', () => 0.015)
    wait.ms = 5_000
    const sendRound = () => Promise.all([noisy.writeMany(40), quiet.writeMany(1)])
    await waitUntil('overload', async () => (await sendRound())[0] === 0)
    await waitUntil('a served write', async () => (await sendRound())[1] === 1)
    const served = { noisy: 0, quiet: 0 }
    for (let round = 0; round < 20; round += 1) {
      const [noisyCount, quietCount] = await sendRound()
      served.noisy += noisyCount
      served.quiet += quietCount
    }
    assert.ok(served.quiet >= 15, `${served.quiet} of 20`)
    assert.ok(served.noisy <= 80, `${served.noisy} of 800`)
  })
}

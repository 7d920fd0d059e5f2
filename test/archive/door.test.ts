import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { forgetExports, jobsOf, makeArchive } from '#archive/background.ts'
import { openFiles } from '#files/open.ts'
import type { AuditEntry } from '#resources/audit/internal.ts'
import type { Export } from '#resources/exports/internal.ts'
import { removeDoomed } from '#upkeep/files.ts'
import { newAddress } from '../support/browser.ts'
import { createTestClock } from '../support/clock.ts'
import { ENGINES, log } from '../support/engines.ts'
import { freshDocket } from '../support/fresh.ts'
import { sessionOf } from '../support/session.ts'
import { essenceOf, exported, imported, newName } from './support.ts'
import { newWorld } from './world.ts'

const OTHER = { sqlite: 'postgres', postgres: 'sqlite' } as const
const hashIn = ({ etag }: OutgoingHttpHeaders) => String(etag).replaceAll('"', '')
const DAY = 24 * 60 * 60 * 1000

for (const engine of ENGINES) {
  test(`an owner takes the workspace along, and it is the same elsewhere (${engine})`, async () => {
    const clock = createTestClock()
    // On a database of its own: with this clock, upkeep would take away what is of other tests.
    const served = await freshDocket(engine, {}, { clock })
    const { storage, server, config } = served
    const home = await newWorld(served)
    const files = openFiles(config)
    const means = { storage, files, log }
    const remoteAddress = newAddress()
    const ask = async (
      method: 'GET' | 'POST',
      url: string,
      role: 'owner' | 'admin' = 'owner',
      more: Record<string, string> = {},
    ) => {
      const { headers } = await sessionOf(storage, home, role, config.baseUrl)
      return server.inject({ method, url, headers: { ...headers, ...more }, remoteAddress })
    }
    const made = await ask('POST', '/internal/exports')
    assert.equal(made.statusCode, 201, made.body)
    const { id } = made.json() as Export
    assert.equal((await ask('POST', '/internal/exports')).statusCode, 409)
    const content = `/internal/exports/${id}/content`
    assert.equal((await ask('GET', content)).statusCode, 404)

    const job = (await jobsOf(storage)).find((one) => one.id === id) ?? assert.fail()
    // Two processes that both want it: one makes it.
    await Promise.all([makeArchive(means, 'one', job), makeArchive(means, 'two', job)])
    const [ready] = ((await ask('GET', '/internal/exports')).json() as { data: Export[] }).data
    assert.deepEqual([ready?.status, ready?.error], ['ready', null])
    const reply = await ask('GET', content)
    assert.equal(reply.statusCode, 200)
    assert.match(String(reply.headers['content-disposition']), /\.docket\.tar$/)
    assert.equal(reply.rawPayload.length, ready?.size_bytes)
    assert.equal(createHash('sha256').update(reply.rawPayload).digest('hex'), hashIn(reply.headers))

    // The audit log tells of each time that bytes of it went out, and of nothing else.
    const entries = async (action: AuditEntry['action']) => {
      const told = await ask('GET', `/internal/audit?action=${action}`)
      const { data } = told.json() as { data: AuditEntry[] }
      return data.map(({ actor_id, subject_id }) => [actor_id, subject_id])
    }
    assert.deepEqual(await entries('workspace.exported'), [[null, home.workspace]])
    const downloads = () => entries('export.downloaded')
    const once = [home.people.owner, id]
    assert.deepEqual(await downloads(), [once])
    const part = await ask('GET', content, 'owner', { range: 'bytes=512-1023' })
    assert.deepEqual([part.statusCode, part.rawPayload.length], [206, 512])
    assert.deepEqual(await downloads(), [once, once])
    const same = { 'if-none-match': String(reply.headers.etag) }
    assert.equal((await ask('GET', content, 'owner', same)).statusCode, 304)

    // Nobody has it by its address alone.
    assert.equal((await server.inject({ url: content, remoteAddress })).statusCode, 401)
    assert.equal((await ask('GET', content, 'admin')).statusCode, 403)
    assert.equal((await downloads()).length, 2)

    const archive = newName()
    writeFileSync(archive, reply.rawPayload)
    const there = await freshDocket(OTHER[engine])
    await imported(there, archive)
    const again = await exported(there, home.workspace)
    assert.deepEqual(await essenceOf(again.archive), await essenceOf(archive))

    clock.advance(DAY + 1_000)
    assert.equal((await ask('GET', content)).statusCode, 404)
    await forgetExports(storage)
    while (await removeDoomed(storage, files)());
    const left: string[] = []
    for await (const { key } of files.list()) if (key.startsWith(home.workspace)) left.push(key)
    const [expired] = ((await ask('GET', '/internal/exports')).json() as { data: Export[] }).data
    assert.equal(expired?.status, 'expired')
    assert.equal(left.length, (await exported(served, home.workspace)).manifest.files.count)
  })
}

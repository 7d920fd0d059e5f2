import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { httpServer } from '#http/server.ts'
import { app, routes } from '../../src/app.ts'
import { docketOn, log, SECRET } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { portOf } from '../support/socket.ts'
import { HOSTILE_FILES } from './hostile-files.ts'
import { killedUploads } from './killed-uploads.ts'
import { attacked, type Target } from './uploads.ts'
import { made } from './world/call.ts'

async function targetOf(env: Record<string, string> = {}, server?: FastifyInstance) {
  const docket = await docketOn('sqlite', env)
  const { keys, workspace, project } = await newHome(docket.storage)
  const asking = { method: 'POST', url: '/api/v1/tasks', body: { project_id: project, title: 'T' } }
  const task = (await made(docket.server, keys.owner, asking)).id
  const { dataDir } = docket.config
  const target: Target = {
    ...{ server: server ?? docket.server, key: keys.owner, workspace, task, dataDir },
  }
  return target
}

test('files that mean harm are taken as bytes, called as data and handed out to be saved', async () => {
  const target = await targetOf()
  assert.ok(HOSTILE_FILES.length > 140, `${HOSTILE_FILES.length} files`)
  const wrong: string[] = []
  for (const file of HOSTILE_FILES) wrong.push(...(await attacked(target, file)))
  assert.deepEqual(wrong, [])
})

test('a server that trusts the type of an image, and shows it, is found out', async () => {
  const { storage, config } = await docketOn('sqlite')
  const { house } = await app(storage, config, SECRET, log)
  house.registry.clear()
  const server = httpServer(house, routes)
  server.addHook('onRequest', (_request, reply, done) => {
    const { raw } = reply
    const write = raw.writeHead.bind(raw)
    const shown = (status: number, headers: Record<string, string>) => {
      const isImage = /^image\//.test(headers['content-type'] ?? '')
      return write(status, { ...headers, ...(isImage && { 'content-disposition': 'inline' }) })
    }
    Object.assign(raw, { writeHead: shown })
    done()
  })
  const target = await targetOf({}, server)
  const svg = HOSTILE_FILES.find(({ name, type }) => name === 'svg.png' && type === 'image/svg+xml')
  assert.match((await attacked(target, svg ?? assert.fail())).join('\n'), /handed out as inline/)
})

test('twenty at once at the edge of the quota take what there is, and no byte more', async () => {
  const size = 2 * 1024 * 1024
  const quota = 7 * size + 100
  const env = { DOCKET_WORKSPACE_ATTACHMENT_BYTES: String(quota) }
  const { key, task, server, workspace, dataDir } = await targetOf(env)
  const port = await portOf(server)
  const url = `http://127.0.0.1:${port}/api/v1/tasks/${task}/attachments`
  const headers = { authorization: `Bearer ${key}` }
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const sent = { method: 'POST', headers, body: Buffer.alloc(size) }
      // Whoever is refused early may not have sent all of it.
      return fetch(`${url}?filename=a`, sent).then(
        ({ status }) => status,
        () => 409,
      )
    }),
  )
  const taken = statuses.filter((status) => status === 201).length
  assert.deepEqual([...new Set(statuses)].toSorted(), [201, 409])
  assert.ok(taken >= 1 && taken <= 7, `${taken} taken`)
  assert.equal(readdirSync(join(dataDir, 'files', workspace)).length, taken)
  // What is left can be used to the last byte, one after the other.
  for (let more = taken; more < 7; more += 1) {
    const reply = await fetch(`${url}?filename=a`, {
      method: 'POST',
      headers,
      body: Buffer.alloc(size),
    })
    assert.equal(reply.status, 201)
  }
  const rest = (bytes: number) =>
    fetch(`${url}?filename=a`, { method: 'POST', headers, body: Buffer.alloc(bytes) })
  assert.equal((await rest(101)).status, 409)
  assert.equal((await rest(100)).status, 201)
  assert.deepEqual(readdirSync(join(dataDir, 'files/drafts')), [])
})

test('a kill leaves no row without its file, and what else it leaves is swept', async () => {
  const { acks, orphans, wrong } = await killedUploads(4)
  assert.deepEqual(wrong, [])
  assert.ok(acks > 20, `${acks} uploads`)
  assert.ok(orphans > 0, 'no upload was under way')
})

test('a server that writes the row before the file is found out by kills', async () => {
  const { wrong } = await killedUploads(10, 'test/support/row-first.ts')
  assert.match(wrong.join('\n'), /has no file/)
})

test('a disk that takes no more refuses the file, leaves nothing of it, and serves on', async () => {
  // No file may have more than 3 MiB: fails where a full disk would, and needs no rights.
  const script = 'ulimit -f 3072; exec "$0" "$1"'
  const program = join(import.meta.dirname, '../support/full-disk-uploads.ts')
  const child = spawn('bash', ['-c', script, process.execPath, program])
  let said = ''
  for (const from of [child.stdout, child.stderr]) {
    from.on('data', (chunk) => {
      said += chunk
    })
  }
  const code = await new Promise((resolve) => child.once('exit', resolve))
  assert.equal(code, 0, said)
  assert.deepEqual(JSON.parse(said), { statuses: [503, 503, 201], drafts: 0, files: 1, rows: 1 })
})

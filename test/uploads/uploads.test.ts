import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { callApiForJson } from '../support/api/call-api.ts'
import { openTestDocket } from '../support/engines/test-docket.ts'
import { listenOnPort } from '../support/server/raw-exchange.ts'
import { findEntry } from '../support/server/server-process.ts'
import { collectOutput } from '../support/system/child-processes.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { HOSTILE_FILES } from './hostile-files.ts'
import { type UploadTarget, uploadHostileFile } from './hostile-uploads.ts'
import { killDuringUploads } from './kill-during-uploads.ts'

async function createTarget(env: Record<string, string> = {}, server?: FastifyInstance) {
  const docket = await openTestDocket('sqlite', env)
  const { keys, workspace, project } = await createTestWorkspace(docket.storage)
  const asking = { method: 'POST', url: '/api/v1/tasks', body: { project_id: project, title: 'T' } }
  const task = (await callApiForJson(docket.server, keys.owner, asking)).id
  const { dataDir } = docket.config
  const target: UploadTarget = {
    server: server ?? docket.server,
    key: keys.owner,
    workspace,
    task,
    dataDir,
  }
  return target
}

test('stores hostile files as bytes and serves them only as downloads', async () => {
  const target = await createTarget()
  assert.ok(HOSTILE_FILES.length > 100, `${HOSTILE_FILES.length} files`)
  const wrong: string[] = []
  for (const file of HOSTILE_FILES) wrong.push(...(await uploadHostileFile(target, file)))
  assert.deepEqual(wrong, [])
})

test('twenty concurrent uploads fill the quota and do not exceed it', async () => {
  const size = 2 * 1024 * 1024
  // Room for seven, and for what else the workspace contains.
  const quota = 7 * size + size / 2
  const env = { DOCKET_WORKSPACE_BYTES: String(quota) }
  const { key, task, server, workspace, dataDir } = await createTarget(env)
  const port = await listenOnPort(server)
  const url = `http://127.0.0.1:${port}/api/v1/tasks/${task}/attachments`
  const headers = { authorization: `Bearer ${key}` }
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const sent = { method: 'POST', headers, body: Buffer.alloc(size) }
      // The server may close the connection of a refused upload before all of it is sent.
      return fetch(`${url}?filename=a`, sent).then(
        ({ status }) => status,
        () => 409,
      )
    }),
  )
  const accepted = statuses.filter((status) => status === 201).length
  assert.deepEqual([...new Set(statuses)].toSorted(), [201, 409])
  assert.ok(accepted >= 1 && accepted <= 7, `${accepted} taken`)
  assert.equal(readdirSync(join(dataDir, 'files', workspace)).length, accepted)
  // Sequential uploads can use the rest of the quota.
  for (let more = accepted; more < 7; more += 1) {
    const reply = await fetch(`${url}?filename=a`, {
      method: 'POST',
      headers,
      body: Buffer.alloc(size),
    })
    assert.equal(reply.status, 201)
  }
  const more = (bytes: number) =>
    fetch(`${url}?filename=a`, { method: 'POST', headers, body: Buffer.alloc(bytes) })
  assert.equal((await more(size)).status, 409)
  // Small files reserve nothing, so several of them pass the first check together.
  const last = await Promise.all(Array.from({ length: 5 }, () => more(size * 0.3)))
  assert.deepEqual(last.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409])
  assert.deepEqual(readdirSync(join(dataDir, 'files/drafts')), [])
})

test('a kill leaves no row without its file, and orphaned files are removed', async () => {
  const { acks, orphans, wrong } = await killDuringUploads(3)
  assert.deepEqual(wrong, [])
  assert.ok(acks > 20, `${acks} uploads`)
  assert.ok(orphans > 0, 'no upload was under way')
})

test('answers 503 to an upload on a full disk, leaves nothing of it, and serves on', async () => {
  // A file size limit of 3 MiB fails where a full disk would, and needs no privileges.
  const script = 'ulimit -f 3072; exec "$0" "$1"'
  const program = findEntry('test/support/server/programs/full-disk-uploads.ts')
  const child = spawn('bash', ['-c', script, process.execPath, program])
  const { code, stdout, stderr } = await collectOutput(child).ended
  assert.equal(code, 0, stdout + stderr)
  assert.deepEqual(JSON.parse(stdout), { statuses: [503, 503, 201], drafts: 0, files: 1, rows: 1 })
})

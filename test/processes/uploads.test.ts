import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyDir } from '../support/dir.ts'
import { end, isReady, settle, start } from '../support/process.ts'
import { until } from '../support/until.ts'

const SIZE = 5_000_000

test('an upload that is under way when the server stops is finished, and one that is cut leaves nothing', async () => {
  const dataDir = emptyDir()
  const { keys, project, workspace } = await settle(dataDir)
  const server = await start(dataDir)
  const headers = { authorization: `Bearer ${keys.owner}` }
  const made = await fetch(`http://127.0.0.1:${server.port}/api/v1/tasks`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ project_id: project, title: 'T' }),
  })
  const { id } = (await made.json()) as { id: string }
  const begin = () => {
    const path = `/api/v1/tasks/${id}/attachments?filename=a`
    const to = { host: '127.0.0.1', port: server.port, path, method: 'POST' }
    const upload = request({ ...to, headers: { ...headers, 'content-length': SIZE } })
    upload.write(Buffer.alloc(2_000_000))
    return upload
  }
  const [whole, cut] = [begin(), begin()]
  cut.on('error', () => {})
  const drafts = join(dataDir, 'files/drafts')
  await until('both drafts', () => existsSync(drafts) && readdirSync(drafts).length === 2)
  const ended = end(server, 'SIGTERM')
  await until('no more connections', async () => !(await isReady(server.port)))
  cut.destroy()
  const status = new Promise((resolve) =>
    whole.once('response', (reply) => resolve(reply.resume().statusCode)),
  )
  whole.end(Buffer.alloc(SIZE - 2_000_000))
  assert.equal(await status, 201)
  assert.equal(await ended, 0)
  assert.equal(readdirSync(join(dataDir, 'files', workspace)).length, 1)
  assert.deepEqual(readdirSync(drafts), [])
})

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { PATIENCE } from '#http/patience.ts'
import { made } from '../experiments/world/call.ts'
import { docketOn } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { portOf } from '../support/socket.ts'

/** More than the buffers on the way hold. */
const SIZE = 32 * 1024 * 1024

test('a reader who takes nothing is given up, and a slow one is not', async (t) => {
  const usual = PATIENCE.stalledMs
  t.after(() => Object.assign(PATIENCE, { stalledMs: usual }))
  PATIENCE.stalledMs = 800
  const { storage, server } = await docketOn('sqlite')
  const { keys, project } = await newHome(storage)
  const body = { project_id: project, title: 'T' }
  const task = await made(server, keys.owner, { method: 'POST', url: '/api/v1/tasks', body })
  const url = `/api/v1/tasks/${task.id}/attachments?filename=a`
  const upload = { method: 'POST', url, body: Buffer.alloc(SIZE) }
  const { id } = await made(server, keys.owner, upload)
  const port = await portOf(server)
  const asked =
    `GET /api/v1/attachments/${id}/content HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Authorization: Bearer ${keys.owner}\r\nConnection: close\r\n\r\n`

  /** Reads for so long at a time, and rests between; gives how many bytes came before the end. */
  const reader = (restMs: number) =>
    new Promise<number>((resolve) => {
      let bytes = 0
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.on('data', (chunk) => {
        const before = bytes
        bytes += chunk.length
        const rests = Math.floor(bytes / 4e6) > Math.floor(before / 4e6) || before === 0
        if (!rests) return
        socket.pause()
        setTimeout(() => socket.resume(), restMs)
      })
      socket.on('close', () => resolve(bytes))
      socket.write(asked)
    })

  const [slow, stalled] = await Promise.all([reader(300), reader(3_000)])
  assert.ok(slow > SIZE, `${slow} bytes`)
  assert.ok(stalled < SIZE, `${stalled} bytes`)
})

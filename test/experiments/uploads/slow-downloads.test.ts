import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { TRANSFER_TIMEOUTS } from '#http/request/transfer-timeouts.ts'
import { callApiForJson } from '#test/support/api/call-api.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { listenOnPort } from '#test/support/server/raw-exchange.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

/** More than all socket buffers hold. */
const SIZE = 32 * 1024 * 1024
const WINDOW_MS = 4_000

test('closes a download that stalls, but not one that is slow', async () => {
  const transferTimeouts = { ...TRANSFER_TIMEOUTS, rateWindowMs: WINDOW_MS }
  const { storage, server } = await openTestDocket('sqlite', {}, { transferTimeouts })
  const { keys, project } = await createTestWorkspace(storage)
  const body = { project_id: project, title: 'T' }
  const task = await callApiForJson(server, keys.owner, {
    method: 'POST',
    url: '/api/v1/tasks',
    body,
  })
  const url = `/api/v1/tasks/${task.id}/attachments?filename=a`
  const upload = { method: 'POST', url, body: Buffer.alloc(SIZE) }
  const { id } = await callApiForJson(server, keys.owner, upload)
  const port = await listenOnPort(server)
  const requestText =
    `GET /api/v1/attachments/${id}/content HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
    `Authorization: Bearer ${keys.owner}\r\nConnection: close\r\n\r\n`

  /** Pauses after every 4 MB until `rest` has ended; returns the bytes that arrived in all. */
  const downloadWithPauses = (rest: () => Promise<unknown>) =>
    new Promise<number>((resolve) => {
      let bytes = 0
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.on('data', (chunk) => {
        const before = bytes
        bytes += chunk.length
        const pauses = Math.floor(bytes / 4e6) > Math.floor(before / 4e6) || before === 0
        if (!pauses) return
        socket.pause()
        void rest().then(() => socket.resume())
      })
      socket.on('close', () => resolve(bytes))
      socket.write(requestText)
    })

  // Eight pauses, which take longer than a download may stand still.
  const slow = await downloadWithPauses(() => setTimeout(WINDOW_MS / 6))
  assert.ok(slow > SIZE, `${slow} bytes`)
  const stalled = await downloadWithPauses(() =>
    waitUntil('the server closes the download', async () => (await countConnections()) === 0),
  )
  assert.ok(stalled < SIZE, `${stalled} bytes`)

  function countConnections(): Promise<number> {
    return new Promise((resolve) => server.server.getConnections((_, count) => resolve(count)))
  }
})

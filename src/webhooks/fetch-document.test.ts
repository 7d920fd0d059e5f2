import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { formatHttpReply, startRawServer } from '#test/support/services/raw-server.ts'
import { createDocumentFetcher } from './fetch-document.ts'

const HERE = { loopback: true, networks: [] }
const PUBLIC = { loopback: false, networks: [] }
const LONGEST_DOCUMENT = JSON.stringify('x'.repeat(65_534))

const REPLIES: Readonly<Record<string, string>> = {
  '/ok': formatHttpReply(200, '{"client_id":"me"}'),
  '/longest': formatHttpReply(200, LONGEST_DOCUMENT),
  '/too-long': formatHttpReply(200, `${LONGEST_DOCUMENT} `),
  '/html': formatHttpReply(200, '<html>'),
  '/moved': formatHttpReply(302, '', { Location: '/ok' }),
  '/gone': formatHttpReply(404, '{}'),
}

test('reads a JSON document, follows no redirect, and reads no more than 64 KiB', async (t) => {
  const answer = (socket: Socket, request: string) =>
    socket.write(REPLIES[request.split(' ')[1] ?? ''] ?? '')
  const { port, requests } = await startRawServer(t, answer)
  const fetchDocument = createDocumentFetcher(HERE)
  const at = (path: string) => fetchDocument(`http://127.0.0.1:${port}${path}`)
  assert.deepEqual(await at('/ok'), { client_id: 'me' })
  assert.equal(await at('/longest'), 'x'.repeat(65_534))
  for (const path of ['/too-long', '/html', '/moved', '/gone'])
    assert.equal(await at(path), undefined, path)
  assert.equal(requests.length, 6)
})

test('connects to no address that webhooks may not reach', async (t) => {
  const { port, connections } = await startRawServer(t, (socket) =>
    socket.write(REPLIES['/ok'] ?? ''),
  )
  const fetchDocument = createDocumentFetcher(PUBLIC, async (hostname) =>
    hostname === 'both.example' ? ['93.184.215.14', '127.0.0.1'] : ['127.0.0.1'],
  )
  for (const host of ['127.0.0.1', '[::1]', 'private.example', 'both.example', '169.254.169.254'])
    assert.equal(await fetchDocument(`https://${host}:${port}/ok`), undefined, host)
  assert.equal(connections.length, 0)
})

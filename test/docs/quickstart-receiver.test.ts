import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { BASE_ENV } from '#test/cli/run-cli.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { signBody } from '#webhooks/sending/attempt.ts'
import { readProgramTexts } from './documented-programs.ts'
import { openTerminal } from './terminal.ts'

const [receiver] = readProgramTexts('docs/guides/quickstart.md')
const path = join(createTempDir(), receiver?.name ?? '')
writeFileSync(path, receiver?.text ?? '')

const SECRET = 'a secret of the receiver'
const BODY = '{"type":"task.updated","data":{"short_id":"ENG-1"}}'

test('the receiver of the quickstart goes on after forged, broken and unreadable requests', async (t) => {
  const port = await findFreePort()
  const env = { DOCKET_WEBHOOK_SECRET: SECRET, PORT: String(port) }
  const { lines } = await openTerminal(t, `exec '${process.execPath}' '${path}'`, env)

  async function post(body: string, signature: string): Promise<number> {
    const headers = { 'x-service-signature': signature }
    const reply = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
    return reply.status
  }

  assert.equal(await post(BODY, signBody(BODY, 'another secret')), 401)
  // As many characters as a signature has, but more bytes.
  assert.equal(await post(BODY, `sha256=${'é'.repeat(64)}`), 401)
  assert.equal(await post('no JSON', signBody('no JSON', SECRET)), 500)
  await breakOff(port)
  assert.equal(await post(BODY, signBody(BODY, SECRET)), 204)
  await waitUntil('the event on the terminal', () => lines().length > 1)
  assert.deepEqual(lines(), ['Waiting for webhooks', 'task.updated ENG-1'])
})

test('the receiver of the quickstart does not start without a secret', () => {
  const { status, stderr } = spawnSync(process.execPath, [path], {
    env: { ...BASE_ENV, DOCKET_WEBHOOK_SECRET: '', PORT: '0' },
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 1)
  assert.match(stderr, /DOCKET_WEBHOOK_SECRET is empty/)
})

/** Begins a request, and resets the connection before all of its body was sent. */
async function breakOff(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const request =
    'POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n'
  socket.write(request)
  // The receiver asks for the body, so it has the request.
  await once(socket, 'data')
  socket.resetAndDestroy()
  await once(socket, 'close')
}

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { signatureOf, standardSignatureOf } from '#delivery/sign.ts'
import { configFrom } from '../../src/config.ts'
import { freePort } from '../support/port.ts'
import { type Block, blocksOf, shows } from './blocks.ts'
import { commandsIn, newSession } from './session.ts'
import { newTerminal } from './terminal.ts'

const DOCUMENT = 'docs/webhooks.md'
const RECEIVER = 'http://127.0.0.1:3000'
const LONGEST = 20_000

/** A program, which a test of its own runs. */
const PROGRAM = /^(?:<\?php )?(?:#|\/\/) verify\.\w+\n/

type Session = Awaited<ReturnType<typeof newSession>>
type Terminal = Awaited<ReturnType<typeof newTerminal>>

test('every command of the guide to webhooks does what the guide shows', async (t) => {
  const port = String(await freePort())
  const session = await newSession(t, { [RECEIVER]: `http://127.0.0.1:${port}` })
  const env = { PORT: port, RECEIVER_FILE: join(session.dataDir, 'receiver.db') }
  let terminal: Terminal | undefined
  /** How many lines of the other terminal the guide has shown. */
  let told = 1
  let command = ''
  let output = ''
  for (const block of blocksOf(DOCUMENT)) {
    const { language, text } = block
    const where = `${DOCUMENT}:${block.line}`
    if (PROGRAM.test(text)) continue
    if (text.startsWith('DOCKET_WEBHOOK_SECRET=')) {
      terminal = await newTerminal(t, session.filled(text, where), env)
    } else if (language === 'sh') {
      for (command of commandsIn(text)) output = await session.typed(command, where)
    } else if (language === 'json') {
      const again = () => session.typed(command, where)
      const isReading = !/ -[Xd]\b/.test(command)
      await showsSoon(block, session, isReading ? again : async () => output)
    } else if (language === 'http') {
      await showsSoon(block, session, () => lastPost(session, text))
    } else {
      assert.equal(language, 'text', `${where}: a block of ${language} is not tested`)
      await showsSoon(block, session, async () => rest(terminal, told))
      told += text.trim().split('\n').length
    }
  }
  const none: Block = { language: 'json', text: '{ "data": [] }', line: 0 }
  for (const status of ['pending', 'failed', 'canceled']) {
    const deliveries = `api '/webhooks/whk_…/deliveries?status=${status}'`
    await showsSoon(none, session, () => session.typed(deliveries, DOCUMENT))
  }
  assert.equal(rest(terminal, told), '', 'what comes again is not told again')
})

const rest = (terminal: Terminal | undefined, from: number) =>
  terminal?.lines().slice(from).join('\n') ?? ''

/** Fails unless what comes is what the block shows, at the latest after a while. */
async function showsSoon(block: Block, { filled }: Session, come: () => Promise<string>) {
  const shown = { ...block, text: withAddresses(block.text, filled) }
  let came = await come()
  for (const began = Date.now(); !shows(shown, came); came = await come()) {
    const where = `${DOCUMENT}:${block.line}`
    const late = Date.now() - began > LONGEST
    assert.ok(!late, `${where} shows\n${block.text}\nbut there came\n${came}`)
    await pause(100)
  }
}

const withAddresses = (text: string, filled: Session['filled']) =>
  text.replaceAll(RECEIVER, filled(RECEIVER, DOCUMENT))

/** The newest post of the kind that a block shows, as it went over the line. */
async function lastPost({ typed }: Session, text: string): Promise<string> {
  const kind = /^X-Service-Event: (.*)$/m.exec(text)?.[1]
  const listed = await typed(`api '/webhooks/whk_…/deliveries?event_type=${kind}'`, DOCUMENT)
  const { id } = (JSON.parse(listed) as { data: { id: string }[] }).data[0] ?? {}
  const { request } = JSON.parse(await typed(`api /deliveries/${id}`, DOCUMENT)) as {
    request: { url: string; headers: Record<string, string>; body: string } | null
  }
  if (!request) return ''
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return `POST ${new URL(request.url).pathname} HTTP/1.1\n${headers.join('\n')}\n\n${request.body}`
}

/** The rows of the table with this head, their cells without the marks of code. */
function rowsOf(head: string): string[][] {
  const [, rows = ''] = readFileSync(DOCUMENT, 'utf8').split(`${head}\n`)
  const lines = rows.split('\n\n')[0]?.split('\n').slice(1) ?? []
  return lines.map((row) => {
    const cells = row.slice(1, -1).split('|')
    return cells.map((cell) => cell.trim().replaceAll('`', ''))
  })
}

test('the signatures that the guide lists are those of Docket', () => {
  const rows = rowsOf('| Secret | Body | `webhook-id`, `webhook-timestamp` | Signature |')
  for (const [secret = '', body = '', signed = '', signature = ''] of rows) {
    const [id = '', timestamp] = signed.split(', ')
    const standard = { id, timestamp: Number(timestamp), body, secret }
    assert.equal(signed ? standardSignatureOf(standard) : signatureOf(body, secret), signature)
  }
  assert.equal(rows.length, 5)
})

test('the waits that the guide lists are those of Docket', () => {
  const seconds = { s: 1, min: 60, h: 3_600 }
  const [first, ...rows] = rowsOf('| Attempt | After the one before failed |')
  const waits = rows.map(([, wait = '']) => {
    const [count, unit] = wait.split(' ')
    return Number(count) * seconds[unit as keyof typeof seconds]
  })
  assert.deepEqual(first, ['1', 'at once'])
  assert.deepEqual(waits, configFrom({}).webhooks.retrySeconds)
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { signBody, signStandardWebhook } from '#webhooks/sending/attempt.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { type CodeBlock, matchesOutput, readCodeBlocks } from './code-blocks.ts'
import { splitCommands, startReaderSession } from './reader-session.ts'
import { openTerminal } from './terminal.ts'

const DOCUMENT = 'docs/guides/webhooks.md'
const VERIFICATION = 'docs/guides/verify-webhooks.md'
const RECEIVER = 'http://127.0.0.1:3000'
const TIMEOUT_MS = 60_000

type ReaderSession = Awaited<ReturnType<typeof startReaderSession>>
type TestTerminal = Awaited<ReturnType<typeof openTerminal>>

test('every command of docs/guides/webhooks.md prints what the guide shows', async (t) => {
  const port = String(await findFreePort())
  const session = await startReaderSession(t, { [RECEIVER]: `http://127.0.0.1:${port}` })
  const env = { PORT: port, RECEIVER_FILE: join(session.dataDir, 'receiver.db') }
  let terminal: TestTerminal | undefined
  /** How many lines of the other terminal the guide has shown so far. */
  let shownLines = 1
  let command = ''
  let output = ''
  for (const block of readCodeBlocks(DOCUMENT)) {
    const { language, text } = block
    const where = `${DOCUMENT}:${block.line}`
    if (text.startsWith('DOCKET_WEBHOOK_SECRET=')) {
      terminal = await openTerminal(t, session.fillIn(text, where), env)
    } else if (language === 'sh') {
      for (command of splitCommands(text)) output = await session.runShell(command, where)
    } else if (language === 'json') {
      const again = () => session.runShell(command, where)
      const isReading = !/ -[Xd]\b/.test(command)
      await showsSoon(block, session, isReading ? again : async () => output)
    } else if (language === 'http') {
      await showsSoon(block, session, () => lastPost(session, text))
    } else {
      assert.equal(language, 'text', `${where}: a block of ${language} is not tested`)
      await showsSoon(block, session, async () => rest(terminal, shownLines))
      shownLines += text.trim().split('\n').length
    }
  }
  const none: CodeBlock = { language: 'json', text: '{ "data": [] }', line: 0 }
  for (const status of ['pending', 'failed', 'canceled']) {
    const deliveries = `/webhooks/whk_…/deliveries?status=${status}`
    await showsSoon(none, session, () => readApi(session, deliveries))
  }
  assert.equal(rest(terminal, shownLines), '', 'what comes again is not told again')
})

const rest = (terminal: TestTerminal | undefined, from: number) =>
  terminal?.lines().slice(from).join('\n') ?? ''

/** Polls until the output matches the block; fails after a timeout. */
async function showsSoon(block: CodeBlock, session: ReaderSession, poll: () => Promise<string>) {
  const expected = { ...block, text: session.fillInAddresses(block.text) }
  let output = await poll()
  for (const startedAt = Date.now(); !matchesOutput(expected, output); output = await poll()) {
    const where = `${DOCUMENT}:${block.line}`
    const isLate = Date.now() - startedAt > TIMEOUT_MS
    assert.ok(!isLate, `${where} shows\n${block.text}\nbut there came\n${output}`)
    await pause(100)
  }
}

const readApi = ({ runShell }: ReaderSession, path: string) =>
  runShell(`curl "{{base_url}}/api/v1${path}" -H "Authorization: Bearer $DOCKET_KEY"`, DOCUMENT)

/** The newest delivery of the kind that a block shows, as an HTTP request. */
async function lastPost(session: ReaderSession, text: string): Promise<string> {
  const kind = /^X-Service-Event: (.*)$/m.exec(text)?.[1]
  const listed = await readApi(session, `/webhooks/whk_…/deliveries?event_type=${kind}`)
  const { id } = (JSON.parse(listed) as { data: { id: string }[] }).data[0] ?? {}
  const { request } = JSON.parse(await readApi(session, `/deliveries/${id}`)) as {
    request: { url: string; headers: Record<string, string>; body: string } | null
  }
  if (!request) return ''
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return `POST ${new URL(request.url).pathname} HTTP/1.1\n${headers.join('\n')}\n\n${request.body}`
}

/** The rows of the table with this header; cells without backticks. */
function rowsOf(document: string, head: string): string[][] {
  const [, rows = ''] = readFileSync(document, 'utf8').split(`${head}\n`)
  const lines = rows.split('\n\n')[0]?.split('\n').slice(1) ?? []
  return lines.map((row) => {
    const cells = row.slice(1, -1).split('|')
    return cells.map((cell) => cell.trim().replaceAll('`', ''))
  })
}

test('the example signatures in docs/guides/verify-webhooks.md are correct', () => {
  const rows = rowsOf(
    VERIFICATION,
    '| Secret | Body | `webhook-id`, `webhook-timestamp` | Signature |',
  )
  for (const [secret = '', body = '', signed = '', signature = ''] of rows) {
    const [id = '', timestamp] = signed.split(', ')
    const standard = { id, timestamp: Number(timestamp), body, secret }
    assert.equal(signed ? signStandardWebhook(standard) : signBody(body, secret), signature)
  }
  assert.equal(rows.length, 5)
})

test('docs/guides/webhooks.md lists the retry delays of the default settings', () => {
  const seconds = { s: 1, min: 60, h: 3_600 }
  const [first, ...rows] = rowsOf(DOCUMENT, '| Attempt | Delay after the previous failure |')
  const waits = rows.map(([, wait = '']) => {
    const [count, unit] = wait.split(' ')
    return Number(count) * seconds[unit as keyof typeof seconds]
  })
  assert.deepEqual(first, ['1', 'at once'])
  assert.deepEqual(waits, parseConfig({}).webhooks.retrySeconds)
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { BASE_ENV } from '#test/cli/run-cli.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { signInPerson } from '#test/support/world/signed-in-person.ts'
import { readProgramTexts } from '../webhook-programs/documented-programs.ts'
import { type CodeBlock, matchesOutput, readCodeBlocks } from './code-blocks.ts'
import { splitCommands, startReaderSession } from './reader-session.ts'
import { openTerminal } from './terminal.ts'

const WEBHOOKS = 'docs/guides/webhooks.md'
const OAUTH = 'docs/guides/oauth.md'
/** The callback addresses of the guides' applications; nothing listens there. */
const CALLBACK_ORIGINS = ['http://127.0.0.1:3000', 'http://127.0.0.1:51004'] as const
/** Guides whose own tests run them, and pages of samples that are tested against schemas. */
const OTHER_TESTS = ['event-types', 'oauth', 'verify-webhooks', 'webhooks']
const GUIDES = globSync('docs/guides/*.md')
  .filter((path) => !OTHER_TESTS.some((slug) => path.endsWith(`/${slug}.md`)))
  .toSorted()
/** The languages of a guide that are tried with a generated client, or need its generator. */
const CLIENT_LANGUAGES: Record<string, RegExp> = {
  'docs/guides/clients.md': /^(ts|python|yaml|go)$/,
}
const TUNNEL = 'https://your-tunnel.example.com'
const TIMEOUT_MS = 60_000

test('every command of the guides replies with the documented status and output', async (t) => {
  const port = String(await findFreePort())
  const session = await startReaderSession(t, {
    [TUNNEL]: `http://127.0.0.1:${port}`,
  })
  const statusFile = join(session.dataDir, 'statuses')
  writeFileSync(statusFile, '')
  const curl = `curl() { command curl -sS -w '%{stderr}%{http_code}\\n' "$@" 2>> '${statusFile}'; }`
  await session.runShell(curl, 'the start')
  const lastStatus = () => Number(readFileSync(statusFile, 'utf8').trim().split('\n').at(-1))
  let ran = 0

  async function runGuide(document: string): Promise<void> {
    await session.enterNewWorkspace()
    let output = ''
    let readTerminal: (() => string) | undefined
    const blocks = readCodeBlocks(document)
    for (const [at, block] of blocks.entries()) {
      const { language, text } = block
      if (CLIENT_LANGUAGES[document]?.test(language)) continue
      const where = `${document}:${block.line}`
      const file = /^\/\/ (\w+\.mjs)\n/.exec(text)?.[1]
      if (file !== undefined) {
        writeFileSync(join(session.dataDir, file), text)
      } else if (/ node \w+\.mjs\n/.test(text)) {
        const command = `cd '${session.dataDir}' && ${session.fillIn(text, where)}`
        const terminal = await openTerminal(t, command, { PORT: port })
        readTerminal = () => terminal.lines().join('\n')
      } else if (language === 'sh') {
        output = await runBlock(block, where, isErrorReply(blocks[at + 1]))
      } else if (language === 'js') {
        output = await session.runNode(text, where)
      } else {
        assert.match(language, /^(json|http|text)$/, `${where}: ${language} is not tested`)
        const readOutput = (language === 'text' && readTerminal) || (() => output)
        await assertShown({ ...block, text: session.fillInAddresses(text) }, where, readOutput)
      }
    }
  }

  /** Runs the commands of a block; only the last one may be refused, if the reply is shown. */
  async function runBlock({ text }: CodeBlock, where: string, refused: boolean): Promise<string> {
    let output = ''
    const commands = splitCommands(text)
    for (const [at, command] of commands.entries()) {
      // Some commands write files.
      output = await session.runShell(`cd '${session.dataDir}'\n${command}`, where)
      if (!command.includes('curl ')) continue
      ran += 1
      const mayFail = refused && at === commands.length - 1
      const status = lastStatus()
      assert.equal(status >= 400, mayFail, `${where}: ${command} replied ${status}\n${output}`)
    }
    return output
  }

  for (const document of GUIDES) await runGuide(document)
  assert.ok(ran > 50, `only ${ran} commands were run`)
})

/** Whether a block shows the reply to a request that is refused. */
function isErrorReply(block: CodeBlock | undefined): boolean {
  if (block?.language === 'http') return /^HTTP\/1\.1 [45]/.test(block.text)
  return block?.language === 'json' && 'error' in JSON.parse(block.text)
}

/** A receiver in another terminal prints a moment later. */
async function assertShown(block: CodeBlock, where: string, readOutput: () => string) {
  const startedAt = performance.now()
  for (
    let output = await readOutput();
    !matchesOutput(block, output);
    output = await readOutput()
  ) {
    const isLate = block.language !== 'text' || performance.now() - startedAt > TIMEOUT_MS
    assert.ok(!isLate, `${where} shows\n${block.text}\nbut there came\n${output}`)
    await pause(100)
  }
}

type ReaderSession = Awaited<ReturnType<typeof startReaderSession>>
type TestTerminal = Awaited<ReturnType<typeof openTerminal>>

test('every command of docs/guides/webhooks.md prints what the guide shows', async (t) => {
  const port = String(await findFreePort())
  const session = await startReaderSession(t, { [CALLBACK_ORIGINS[0]]: `http://127.0.0.1:${port}` })
  const env = { PORT: port, RECEIVER_FILE: join(session.dataDir, 'receiver.db') }
  let terminal: TestTerminal | undefined
  /** How many lines of the other terminal the guide has shown so far. */
  let shownLines = 1
  let command = ''
  let output = ''
  for (const block of readCodeBlocks(WEBHOOKS)) {
    const { language, text } = block
    const where = `${WEBHOOKS}:${block.line}`
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
    const where = `${WEBHOOKS}:${block.line}`
    const isLate = Date.now() - startedAt > TIMEOUT_MS
    assert.ok(!isLate, `${where} shows\n${block.text}\nbut there came\n${output}`)
    await pause(100)
  }
}

const readApi = ({ runShell }: ReaderSession, path: string) =>
  runShell(`curl "{{base_url}}/api/v1${path}" -H "Authorization: Bearer $DOCKET_KEY"`, WEBHOOKS)

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

const AUTHORIZE = /^http\S+\/oauth\/authorize\?\S+$/

test('every command of docs/guides/oauth.md prints what the guide shows', async (t) => {
  const ports = await Promise.all(CALLBACK_ORIGINS.map(findFreePort))
  const replacements = CALLBACK_ORIGINS.map(
    (named, at) => [named, `http://127.0.0.1:${ports[at]}`] as const,
  )
  const session = await startReaderSession(t, Object.fromEntries(replacements))
  const ada = await signInPerson(session.url, 'ada@example.com', session.owner_password)
  let output = ''
  for (const block of readCodeBlocks(OAUTH)) {
    const where = `${OAUTH}:${block.line}`
    if (block.language === 'sh') {
      output = await session.runShell(block.text, where)
      if (!AUTHORIZE.test(output.trim())) continue
      // The reader opens the address in a browser, allows the request and copies the callback.
      output = (await ada.open(output.trim())).address.href
      session.addOutput(output)
    } else {
      const { language, text } = block
      assert.match(language, /^(json|http|text)$/, `${where}: a block of ${language} is not tested`)
      const isShown = matchesOutput({ ...block, text: session.fillInAddresses(text) }, output)
      assert.ok(isShown, `${where} shows\n${text}\nbut there came\n${output}`)
    }
  }
})

test('the receiver of the quickstart does not start without a secret', () => {
  const [receiver] = readProgramTexts('docs/guides/quickstart.md')
  const path = join(createTempDir(), receiver?.name ?? '')
  writeFileSync(path, receiver?.text ?? '')
  const { status, stderr } = spawnSync(process.execPath, [path], {
    env: { ...BASE_ENV, DOCKET_WEBHOOK_SECRET: '', PORT: '0' },
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 1)
  assert.match(stderr, /DOCKET_WEBHOOK_SECRET is empty/)
})

import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../support/system/free-port.ts'
import { type CodeBlock, matchesOutput, readCodeBlocks } from './code-blocks.ts'
import { splitCommands, startReaderSession } from './reader-session.ts'
import { openTerminal } from './terminal.ts'

/** Guides whose own tests run them, and pages of samples that are tested against schemas. */
const OTHER_TESTS = ['event-types', 'oauth', 'verify-webhooks', 'webhooks']
const GUIDES = globSync('docs/guides/*.md')
  .filter((path) => !OTHER_TESTS.some((slug) => path.endsWith(`/${slug}.md`)))
  .toSorted()
/** The languages of a guide whose programs and settings `npm run clients` uses. */
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

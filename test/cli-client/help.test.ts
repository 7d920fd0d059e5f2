import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCommandPage, formatOverview } from '../../cli/src/command.ts'
import { COMMANDS } from '../../cli/src/commands.ts'
import { createClientMachine } from './client-machine.ts'

const machine = createClientMachine()

/** The words that a shell would offer after these. */
async function complete(...words: string[]): Promise<string[]> {
  const lines = (await machine.text('complete', '--', ...words)).split('\n').slice(0, -1)
  return lines.map((line) => line.split('\t')[0] ?? '')
}

test('the help fits into 40 columns', () => {
  const pages = [formatOverview(COMMANDS, 40), ...COMMANDS.map((one) => formatCommandPage(one, 40))]
  // A name and an address cannot be broken.
  const long = pages
    .flatMap((page) => page.split('\n'))
    .filter((line) => line.length > 40 && line.trim().includes(' ') && !line.startsWith('Usage'))
  assert.deepEqual(long, [])
})

test('help, -h and --help print the same, and no command at all is wrong usage', async () => {
  const [overview, page] = [
    await machine.text('--help'),
    await machine.text('help', 'events', 'follow'),
  ]
  assert.equal(await machine.text('help'), overview)
  assert.equal(await machine.text('events', 'follow', '--help'), page)
  assert.equal(await machine.text('events', 'follow', '-h'), page)
  assert.match(page, /^Usage: docket events follow \[options\]\n/)
  const nothing = await machine.run([])
  assert.deepEqual(nothing, { code: 2, stdout: '', stderr: overview })
  const group = await machine.run(['webhooks'])
  assert.equal(group.code, 2)
  assert.match(group.stderr, /There are webhooks listen, webhooks replay/)
  for (const option of ['--version', '-v'])
    assert.equal(await machine.text(option), 'docket 1.0.0\n')
})

test('completion offers commands, their second words, options and values', async () => {
  assert.deepEqual(await complete('s'), ['search', 'show', 'start', 'stop'])
  assert.deepEqual(await complete('webhooks', ''), ['listen', 'replay'])
  assert.deepEqual(await complete('list', '--due'), ['--due-before'])
  assert.deepEqual(await complete('list', '--state', ''), ['open', 'done', 'canceled', 'all'])
  assert.deepEqual(await complete('--json', 'list', '-p', 'u'), ['urgent'])
  assert.deepEqual(await complete('completion', ''), ['bash', 'zsh', 'fish'])
  assert.deepEqual(await complete('help', 'events', ''), ['follow'])
  assert.deepEqual(await complete('create', '--title'), [])
})

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { formatCommandPage, formatOverview } from '../../cli/src/command.ts'
import { COMMANDS } from '../../cli/src/commands.ts'
import { isScriptInstalled } from '../support/services/script.ts'
import { COMPLETED_SHELLS } from '../support/services/shells.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { CLIENT_ENTRY, createClientMachine, startDocketForClients } from './client-machine.ts'
import { formatSurface, SURFACE_FILE } from './surface.ts'

const machine = createClientMachine()

/** The words that a shell would offer after these. */
async function complete(...words: string[]): Promise<string[]> {
  const lines = (await machine.text('complete', '--', ...words)).split('\n').slice(0, -1)
  return lines.map((line) => line.split('\t')[0] ?? '')
}

test('the help of all commands is that of surface.txt: npx node test/cli-client/surface.ts', () => {
  assert.equal(`${formatSurface()}\n`, readFileSync(SURFACE_FILE, 'utf8'))
})

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

for (const { name, words, isInstalled } of COMPLETED_SHELLS) {
  if (isInstalled && isScriptInstalled) {
    test(`${name} completes a command that a person types`, async () => {
      const { owner } = await startDocketForClients()
      const bin = join(owner.home, 'bin')
      mkdirSync(bin)
      writeFileSync(
        join(bin, 'docket'),
        `#!/bin/sh\nexec '${process.execPath}' '${CLIENT_ENTRY}' "$@"\n`,
      )
      chmodSync(join(bin, 'docket'), 0o755)
      const terminal = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
        cwd: owner.home,
        env: { ...owner.env, PATH: `${bin}:${owner.env.PATH}`, SHELL: '/bin/sh', TERM: 'dumb' },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      let screen = ''
      terminal.stdout.on('data', (chunk) => {
        screen += chunk
      })
      const load = {
        bash: 'eval "$(docket completion bash)"',
        zsh: 'autoload -U compinit; compinit -u -D; eval "$(docket completion zsh)"',
        fish: 'docket completion fish | source',
      }[name]
      // The shell reads the lines when it is ready; the marker is not in what it echoes.
      terminal.stdin.write(`${load}; echo lo''aded\r`)
      await waitUntil('that the completion is loaded', () => screen.includes('loaded'))
      terminal.stdin.write('docket whoa\t\r')
      await waitUntil('the reply', () => screen.includes('You are The owner (owner) in Test'))
      terminal.stdin.write('exit\r')
      await once(terminal, 'close')
    })
  }
}

test('the package is one file that runs on the oldest Node, too', async () => {
  const { owner, url } = await startDocketForClients()
  const pack = ['pack', '--json', '--pack-destination', owner.home]
  const packed = execFileSync('npm', pack, { cwd: resolve('cli'), encoding: 'utf8' })
  // Before it comes what the bundler prints.
  const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(
    packed.slice(packed.indexOf('[\n')),
  )
  const paths = files.map(({ path }) => path).sort()
  assert.deepEqual(paths, ['LICENSE', 'README.md', 'dist/docket.js', 'package.json'])
  const app = join(owner.home, 'app')
  mkdirSync(app)
  const install = [
    'install',
    '--offline',
    '--no-audit',
    '--prefix',
    app,
    join(owner.home, filename),
  ]
  execFileSync('npm', install, { cwd: app, stdio: 'ignore' })
  const command = join(app, 'node_modules/.bin/docket')
  assert.match(readFileSync(command, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  const nodes = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter(existsSync)
  for (const node of nodes) {
    const child = spawn(node, [command, 'whoami', '--json'], { cwd: owner.home, env: owner.env })
    let stdout = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    assert.deepEqual(await once(child, 'close'), [0, null], node)
    assert.equal(JSON.parse(stdout).data.url, url)
  }
  assert.equal(spawnSync(command, ['--version'], { encoding: 'utf8' }).stdout, 'docket 1.0.0\n')
})

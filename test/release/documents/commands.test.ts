import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { createEmptyDatabase } from '#test/support/engines/test-database.ts'
import { isServerReady } from '#test/support/server/server-process.ts'
import { findFreePort } from '#test/support/system/free-port.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import {
  DOCUMENTS,
  type DocumentedCommand,
  readCommands,
  readSettings,
} from './documented-commands.ts'
import { startReaderSession } from './reader-session.ts'
import { openTerminal } from './terminal.ts'

/** Documents whose own tests run every command and compare the output. */
const GUIDES = globSync('docs/guides/*.md')
/** It migrates the database that the others need, so it has to come last. */
const LAST_DOCUMENT = 'docs/postgresql.md'

const testedByGuides = new Set(GUIDES.flatMap(readCommands).map(({ text }) => text))
const isUntested = (text: string) => UNTESTED_COMMANDS.some(([command]) => command.test(text))
const commandsToRun = (document: string) =>
  readCommands(document).filter(({ text }) => !testedByGuides.has(text) && !isUntested(text))

/** A reader's PATH has no pinned Node; install scripts are off, because tests install nothing. */
const READER_ENV = {
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((place) => !place.includes('node_modules'))
    .join(delimiter),
  npm_config_ignore_scripts: 'true',
  npm_config_update_notifier: 'false',
}
const START_TIMEOUT_MS = 60_000
const NPM = 'npm run --silent docket --'
/** Quoted, so that the session does not replace it by its faster command without npm. */
const QUOTED_NPM = `'npm' run --silent docket --`

const NPX = 'npx node'

/** Settings that keep a first start apart from the server of the session. */
const separateServerEnv = async () => ({
  DOCKET_DATA_DIR: createTempDir(),
  DOCKET_PORT: String(await findFreePort()),
})

test('every command in README, operator pages and examples works', async (t) => {
  const [backups, exported] = [createTempDir(), createTempDir()]
  const database = await createEmptyDatabase()
  const sitePort = String(await findFreePort())
  const replacements = {
    '/backups/docket-2027-01-31T02-00-00Z': `${backups}/docket-*`,
    '/backups': backups,
    'copy.json': join(createTempDir(), 'copy.json'),
    'acme.docket.tar': join(exported, 'acme.docket.tar'),
    'http://127.0.0.1:3000': `http://127.0.0.1:${sitePort}`,
    'postgres://docket@db.example.com/docket': database.url,
    'postgres://docket:password@db.example.com/docket': database.url,
  }
  // `prestart` would do it, but scripts before and after others are off.
  execFileSync(process.execPath, ['tools/build-server.ts'], { stdio: ['ignore', 2, 2] })
  const session = await startReaderSession(t, replacements, {
    ...READER_ENV,
    DOCKET_LOG_LEVEL: 'silent',
  })
  const { env, dataDir, runShell } = session
  /** The first command with npx shows that it runs the pinned Node; npx takes longer than most programs. */
  let hasRunNpx = false

  /** Does what the document says in prose before the command, such as stopping the server. */
  async function prepare(text: string, where: string): Promise<void> {
    if (text.includes(' restore ')) {
      const empty = createTempDir()
      copyFileSync(join(dataDir, 'secret'), join(empty, 'secret'))
      await runShell(`export DOCKET_DATA_DIR='${empty}'`, where)
    } else if (text.includes(' migrate-to ')) await session.stop()
  }

  /** Runs a command in another terminal and waits until the server is ready. */
  async function serveInTerminal(command: string, env: Record<string, string>) {
    const terminal = await openTerminal(t, command, env)
    for (
      const end = performance.now() + START_TIMEOUT_MS;
      !(await isServerReady(Number(env.DOCKET_PORT)));
    ) {
      assert.ok(performance.now() < end, `it does not serve: ${terminal.lines().join('\n')}`)
      await pause(20)
    }
    return terminal
  }

  async function runCommand({ text: documented, where }: DocumentedCommand): Promise<void> {
    const text = hasRunNpx ? documented.replace(NPX, `'${process.execPath}'`) : documented
    hasRunNpx ||= documented.includes(NPX)
    await prepare(text, where)
    if (text === 'npm start')
      await serveInTerminal(text, { ...env, ...(await separateServerEnv()) })
    else if (text.endsWith(' npm start')) await serveInTerminal(session.fillIn(text, where), env)
    else if (text.endsWith('/web.ts')) {
      await openTerminal(t, session.fillIn(text, where), { ...env, PORT: sitePort })
    } else {
      const command = where.startsWith('README.md') ? text.replace(NPM, QUOTED_NPM) : text
      await runShell(command, where)
    }
    await restore(text, where)
  }

  async function restore(text: string, where: string): Promise<void> {
    if (text.includes(' restore ')) await runShell(`export DOCKET_DATA_DIR='${dataDir}'`, where)
    if (text.endsWith(' npm start')) {
      await runShell(`export DOCKET_DATABASE_URL='${database.url}'`, where)
    }
  }

  const otherDocuments = DOCUMENTS.filter(
    (document) => document !== LAST_DOCUMENT && !GUIDES.includes(document),
  )
  for (const document of [...otherDocuments, LAST_DOCUMENT]) {
    for (const command of commandsToRun(document)) await runCommand(command)
  }
})

test('the settings that documents list are valid', () => {
  const listed = DOCUMENTS.map(readSettings).filter((settings) => Object.keys(settings).length > 0)
  assert.ok(listed.length >= 1)
  for (const settings of listed) {
    const filled = Object.entries(settings).map(([name, value]) => [name, value.replace('…', 'x')])
    parseConfig(Object.fromEntries(filled))
  }
})

test('a clone is started without npm by the flags of npm start, as is a release', () => {
  const [documented] = readCommands('docs/operations.md').filter(({ text }) =>
    text.includes('/server.js'),
  )
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const release = readFileSync('tools/release/bin/docket-server', 'utf8')
  const [start, withoutNpm, released] = [scripts.start, documented?.text, release].map(findFlags)
  assert.deepEqual(withoutNpm, start)
  assert.deepEqual(released, start)
})

/** The flags of Node, and the variables with the default of a shell or a number. */
const findFlags = (text = ''): string[] =>
  [...text.matchAll(/ (--[a-z-]+(?:=\d+)?|[A-Z_]+=(?:\d+|"\$\{\w+:-\d+\}"))(?= |\n)/g)]
    .map(([, flag = '']) => flag.replace(/"\$\{\w+:-(\d+)\}"/, '$1'))
    .toSorted()

/** Commands in documents that no test runs as written, with the reason. */
const UNTESTED_COMMANDS: readonly (readonly [command: RegExp, reason: string])[] = [
  [
    /^(npm run bench|npx node bench\/)/,
    'it measures for minutes, and proves nothing beside others',
  ],
  [
    /^(npx node test\/(experiments|replica|sync)\/|FUZZ_REQUESTS=|CHANGES_HISTORIES=)/,
    'at full length; a test of its folder runs it for a short time',
  ],
  [/^npx node test\/browser\/screenshots/, 'it makes pictures for somebody to look at'],
  [/^npm run release$/, 'it compresses for ten seconds; test/release makes and runs a release'],
  [
    /^(RELEASE_KEY_FILE=|openssl |sha256sum|tar -xzf|\(cd \/opt|DOCKET_DATA_DIR=~\/docket-data|docket (--version|health)) ?/,
    'it needs a release; test/release makes, verifies, unpacks and runs one',
  ],
  [
    /^npx \.\/docket-server-/,
    'it needs a release; test/release installs its npm package and runs that',
  ],
  [/^env UV_THREADPOOL_SIZE=/, 'it is npm start without npm; a test compares their flags'],
  [/^npm test$/, 'it runs all other tests'],
  [/^npm run (experiments|release:check)/, 'the one takes hours, the other runs this test'],
  [/^npm install /, 'it installs from the registry what the tests have from the lockfile'],
  [/^(docker|kubectl) /, 'it needs a daemon or a cluster; test/release runs what the image holds'],
  [/^(systemctl|systemd-run|fail2ban-regex|fail2ban-client) /, 'it changes the machine'],
  [
    /^(cp (deploy\/|\/opt|-p)|install -m 0600|ln -s|cd \/var|mkdir newer|mv docket|sudo deploy\/|echo 'POSTGRES_IMAGE)/,
    'it changes the machine',
  ],
  [/native\.ts$/, 'it waits for a browser; test/release/examples/oauth-client.test.ts has one'],
]

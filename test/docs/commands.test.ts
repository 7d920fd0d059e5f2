import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { migrateStore } from '#storage/open.ts'
import { newRepository } from '#test/examples/repository.ts'
import { emptyDir } from '#test/support/dir.ts'
import { isReady } from '#test/support/process.ts'
import { emptyDatabase } from '#test/support/store.ts'
import { configFrom } from '../../src/config.ts'
import { freePort } from '../support/port.ts'
import { commandsOf, DOCUMENTS, type DocumentedCommand, settingsOf } from './commands.ts'
import { newSession } from './session.ts'
import { newTerminal } from './terminal.ts'
import { UNRUN } from './unrun.ts'

/** Documents of which a test of their own runs every command, and compares what it prints. */
const GUIDES = ['docs/api.md', 'docs/oauth.md', 'docs/webhooks.md']
/** Moves what the others need: it is the last one. */
const LAST = 'docs/postgresql.md'

const guided = new Set(GUIDES.flatMap(commandsOf).map(({ text }) => text))
const isUnrun = (text: string) => UNRUN.some(([command]) => command.test(text))
const toRun = (document: string) =>
  commandsOf(document).filter(({ text }) => !guided.has(text) && !isUnrun(text))

/** Another reader's machine has no pinned Node in its PATH, and nothing is to be installed by a test. */
const AS_READER = {
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((place) => !place.includes('node_modules'))
    .join(delimiter),
  npm_config_ignore_scripts: 'true',
  npm_config_update_notifier: 'false',
}
const START_MS = 60_000
const NPM = 'npm run --silent docket --'
/** For a shell the same; a session has a quicker way for the command as it is written, without npm. */
const BY_NPM = `'npm' run --silent docket --`

/** The end of a chain of the audit log, as a document names one. */
const HEAD = 'wsp_…:1234:9f86d0…'
const headIn = (printed: string) => /\bwsp_\w+:\d+:[0-9a-f]+/.exec(printed)?.[0] ?? HEAD

/** Where a first start does not meet the session's server. */
const anotherPlace = async () => ({
  DOCKET_DATA_DIR: emptyDir(),
  DOCKET_PORT: String(await freePort()),
})

test('every command of README, of the pages for operators and of the examples works', async (t) => {
  const [backups, exported, moved] = [emptyDir(), emptyDir(), emptyDir()]
  const [repository, database, parted] = [
    newRepository(),
    await emptyDatabase(),
    await emptyDatabase(),
  ]
  t.after(repository.remove)
  repository.commit({ message: 'feat: begin', paths: ['lib/a.js'] })
  const site = String(await freePort())
  const instead = {
    '/backups/docket-2027-01-31T02-00-00Z': `${backups}/docket-*`,
    '/backups': backups,
    'acme.docket.tar': join(exported, 'acme.docket.tar'),
    '../some-repository': repository.path,
    'http://127.0.0.1:3000': `http://127.0.0.1:${site}`,
    'postgres://docket@db.example.com/docket': database.url,
    'postgres://docket:password@db.example.com/docket': database.url,
    '/var/lib/docket-back': join(moved, 'back'),
  }
  const session = await newSession(t, instead, { ...AS_READER, DOCKET_LOG_LEVEL: 'silent' })
  const { env, dataDir, typed } = session
  /** By the command before. */
  let printed = ''
  let serving: Awaited<ReturnType<typeof newTerminal>> | undefined

  /** What the document says around the command, such as that the server is stopped. */
  async function prepare(text: string, where: string): Promise<void> {
    if (text.includes(' restore ')) {
      const empty = emptyDir()
      copyFileSync(join(dataDir, 'secret'), join(empty, 'secret'))
      await typed(`export DOCKET_DATA_DIR='${empty}'`, where)
    } else if (text.includes(' partition ')) {
      await session.stop()
      await migrateStore({ dataDir: '', databaseUrl: parted.url })
      await typed(`export DOCKET_DATABASE_URL='${parted.url}'`, where)
    } else if (text.includes(' migrate-to sqlite:')) {
      await serving?.stop()
    }
  }

  /** Runs it in another terminal, and ends when it serves. */
  async function serve(command: string, env: Record<string, string>) {
    const terminal = await newTerminal(t, command, env)
    for (const end = performance.now() + START_MS; !(await isReady(Number(env.DOCKET_PORT))); ) {
      assert.ok(performance.now() < end, `it does not serve: ${terminal.lines().join('\n')}`)
      await pause(20)
    }
    return terminal
  }

  async function follow({ text, where }: DocumentedCommand): Promise<void> {
    await prepare(text, where)
    if (text === 'npm start') await serve(text, { ...env, ...(await anotherPlace()) })
    else if (text.endsWith(' npm start')) serving = await serve(session.filled(text, where), env)
    else if (text.endsWith('/web.ts')) {
      await newTerminal(t, session.filled(text, where), { ...env, PORT: site })
    } else {
      const meant = where.startsWith('README.md') ? text.replace(NPM, BY_NPM) : text
      printed = await typed(meant.replace(HEAD, headIn(printed)), where)
    }
    await restore(text, where)
  }

  async function restore(text: string, where: string): Promise<void> {
    if (text.includes(' restore ')) await typed(`export DOCKET_DATA_DIR='${dataDir}'`, where)
    if (text.includes(' partition ')) await typed('unset DOCKET_DATABASE_URL', where)
    if (text.endsWith(' npm start')) {
      await typed(`export DOCKET_DATABASE_URL='${database.url}'`, where)
    }
  }

  const others = DOCUMENTS.filter((document) => document !== LAST && !GUIDES.includes(document))
  for (const document of [...others, LAST]) {
    for (const command of toRun(document)) await follow(command)
  }
})

test('the settings that documents list are taken', () => {
  const listed = DOCUMENTS.map(settingsOf).filter((settings) => Object.keys(settings).length > 0)
  assert.ok(listed.length >= 2)
  for (const settings of listed) {
    const filled = Object.entries(settings).map(([name, value]) => [name, value.replace('…', 'x')])
    configFrom(Object.fromEntries(filled))
  }
})

test('what no test runs is there at least, and each reason for it has its command', () => {
  const all = DOCUMENTS.flatMap(commandsOf)
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const { text, where } of all.filter(({ text }) => isUnrun(text))) {
    for (const [file] of text.matchAll(/\b(bench|test|tools|deploy|examples)\/[\w./-]+\.\w+/g)) {
      assert.ok(existsSync(file), `${where}: there is no ${file}`)
    }
    const [, script] = /^npm run ([\w:]+)/.exec(text) ?? []
    assert.ok(script === undefined || script in scripts, `${where}: there is no script ${script}`)
  }
  for (const [command, reason] of UNRUN) {
    assert.ok(
      all.some(({ text }) => command.test(text)),
      `${command} (${reason}) is in no document`,
    )
  }
})

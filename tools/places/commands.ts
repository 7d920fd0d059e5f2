import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../../test/support/system/free-port.ts'
import type { ClonePlace } from './places.ts'

/** A clone in a place, and how to run commands in it. */
export interface Clone {
  folder: string
  env: Record<string, string>
  user: ClonePlace['user']
}

/** Upper limits: the first command installs, and a slow machine takes long for all tests. */
const START_TIMEOUT_MS = 15 * 60_000
const COMMAND_TIMEOUT_MS = 20 * 60_000
const ALL_TESTS_TIMEOUT_MS = 90 * 60_000
const POLL_INTERVAL_MS = 200

/** A unit test, scenarios on both engines, a page in a browser, and a server that is killed. */
const SOME_TESTS = [
  'src/lib/rank.test.ts',
  'src/resources/tags',
  'test/cli/start-and-stop.test.ts',
  'test/browser/app/docs-search.test.ts',
  'test/processes/resumed-webhooks.test.ts',
]

const running = new Set<ChildProcess>()

/** Kills what the commands have started and not ended. */
export function killCommands(): void {
  for (const child of running) killGroup(child)
}

/** A command leads a group, so that everything it has started can be ended with it. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH'
    if (!hasEnded) throw error
  }
}

function launch(words: readonly string[], { folder, env, user }: Clone, timeoutMs: number) {
  const child = spawn('npm', words, {
    cwd: folder,
    env,
    ...user,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const timer = setTimeout(() => killGroup(child), timeoutMs)
  const ended = once(child, 'close').then(([code, signal]) => {
    clearTimeout(timer)
    running.delete(child)
    return { code, signal }
  })
  return { child, ended, output: () => output }
}

/** Runs npm to its end; returns its output, with which it also fails. */
async function runNpm(clone: Clone, words: readonly string[], timeoutMs = COMMAND_TIMEOUT_MS) {
  const { ended, output } = launch(words, clone, timeoutMs)
  const { code, signal } = await ended
  if (code !== 0) throw new Error(`It ended with ${signal ?? code}:\n${output()}`)
  return output()
}

/** Starts the server as README.md does, uses it with the key that it prints, and stops it. */
async function startAndStop({ folder, env, user }: Clone): Promise<void> {
  const port = String(await findFreePort())
  const clone = { folder, env: { ...env, DOCKET_PORT: port }, user }
  const { child, ended, output } = launch(['start'], clone, START_TIMEOUT_MS)
  const fail = (what: string): never => {
    killGroup(child)
    throw new Error(`${what}:\n${output()}`)
  }
  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(url))) {
    if (!running.has(child)) fail('It has ended')
    await pause(POLL_INTERVAL_MS)
  }
  // The credentials are printed once it is ready.
  while (!/API key +(dkt_\w+)/.test(output()) && running.has(child)) await pause(POLL_INTERVAL_MS)
  const [, key] = /API key +(dkt_\w+)/.exec(output()) ?? []
  const headers = { authorization: `Bearer ${key}` }
  for (const path of ['/healthz', '/', '/docs', '/api/v1/tasks?assignee_id=me']) {
    const reply = await fetch(`${url}${path}`, { headers })
    await reply.arrayBuffer()
    if (!reply.ok) fail(`${path} replied ${reply.status}`)
  }
  // npm hands the signal on to the server.
  child.kill('SIGTERM')
  await ended
  if (await isReady(url)) fail('It still serves after SIGTERM')
}

async function isReady(url: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/readyz`)
    await reply.arrayBuffer()
    return reply.ok
  } catch {
    return false
  }
}

/** Reads the demo workspace, which the first start has made. */
async function listWorkspaces(clone: Clone): Promise<void> {
  const printed = await runNpm(clone, ['run', '--silent', 'docket', '--', 'workspace', 'list'])
  if (!printed.includes('wsp_')) throw new Error(`It lists no workspace:\n${printed}`)
}

/** A command that has to work in every place. It throws what it has printed. */
export interface PlaceCommand {
  name: string
  run(clone: Clone): Promise<unknown>
}

/** The commands of a place; they end with all tests, or with those at these paths. */
export const listCommands = (tests: 'all' | readonly string[] = SOME_TESTS): PlaceCommand[] => [
  { name: 'npm start', run: startAndStop },
  { name: 'npm run docket', run: listWorkspaces },
  tests === 'all'
    ? { name: 'npm test', run: (clone) => runNpm(clone, ['test'], ALL_TESTS_TIMEOUT_MS) }
    : {
        name: 'npm run test:files',
        run: (clone) => runNpm(clone, ['run', '--silent', 'test:files', '--', ...tests]),
      },
]

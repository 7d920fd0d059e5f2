import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { runInHost } from '../cli/run-hosted-cli.ts'
import { startLiveDocket } from '../support/server/live-docket.ts'
import { collectOutput } from '../support/system/child-processes.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

export const CLIENT_ENTRY = resolve('cli/src/main.ts')

/** The output and the exit code of a command. */
interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

/** Where and with what a command runs. */
interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  input?: string
}

/** Starts a server on SQLite, and the computer of a person who has a key for it. */
export async function startDocketForClients() {
  const { server, team, post, storage } = await startLiveDocket('sqlite')
  const url = server.listeningOrigin
  const env = { DOCKET_URL: url, DOCKET_KEY: team.keys.owner }
  return { url, team, post, storage, owner: createClientMachine(env) }
}

/** A computer with a home of its own, on which the command runs, in a process of its own if it reads input. */
export function createClientMachine(env: Record<string, string> = {}) {
  const home = createTempDir()
  const variables = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    NODE_COMPILE_CACHE: resolve('node_modules/.cache/compile'),
    ...env,
  }
  const start = (words: readonly string[], { env = {}, cwd = home }: RunOptions = {}) =>
    spawn(process.execPath, [CLIENT_ENTRY, ...words], {
      cwd,
      env: { ...variables, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })

  async function run(words: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const { env = {}, cwd = home, input } = options
    const command = { entry: CLIENT_ENTRY, env: { ...variables, ...env }, cwd, words }
    const hosted = input === undefined ? await runInHost(command) : undefined
    return hosted ?? runAlone(words, options)
  }

  async function runAlone(words: readonly string[], options: RunOptions): Promise<CommandResult> {
    const child = start(words, options)
    const { ended } = collectOutput(child)
    // A command that does not read its input may have ended before it is written.
    child.stdin.on('error', () => {})
    child.stdin.end(options.input ?? '')
    const { signal: _, ...result } = await ended
    return result
  }

  /** Runs a command that must succeed, and returns what it prints. */
  async function text(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(words)
    if (code !== 0) throw new Error(`docket ${words.join(' ')}: ${code} ${stderr}`)
    return stdout
  }

  /** Runs a command that must succeed, and returns its `data`. */
  async function json<T>(...words: string[]): Promise<T> {
    const result: { data: T } = JSON.parse(await text(...words, '--json'))
    return result.data
  }

  return {
    home,
    env: variables,
    start,
    run,
    text,
    json,
    stateFile: (name: string) => join(home, '.local/state/docket', name),
    configFile: join(home, '.config/docket/config.json'),
  }
}

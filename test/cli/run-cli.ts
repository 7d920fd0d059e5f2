import { spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { NODE_ARGS, nextServerLog } from '../support/server/server-process.ts'
import { collectOutput } from '../support/system/child-processes.ts'
import { findFreePort } from '../support/system/free-port.ts'

/** The exit code and the output of a process. */
export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
}

/** The settings and other environment variables of a process. */
export type CliEnv = Record<string, string>

/** A data directory and a port for a server that is not started yet; call `remove` when done. */
export async function newInstallation(env: CliEnv = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-cli-'))
  const port = String(await findFreePort())
  return {
    env: { DOCKET_DATA_DIR: dataDir, DOCKET_PORT: port, DOCKET_DEMO: '0', ...env },
    dataDir,
    url: `http://127.0.0.1:${port}`,
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

/** The entries of the command line and the server: the test runner bundles each into one file. */
export const CLI_ENTRY = process.env.TEST_CLI ?? 'src/cli/main.ts'
export const SERVER_ENTRY = process.env.TEST_SERVER ?? 'src/main.ts'

/** Runs a command of the command line to its end, with an empty standard input. */
export const runCli = (env: CliEnv, ...words: string[]): Promise<CliResult> =>
  runCliWithInput(env, '', ...words)

/** Runs a command that reads this from standard input. */
export async function runCliWithInput(
  env: CliEnv,
  input: string,
  ...words: string[]
): Promise<CliResult> {
  const { child, ended } = launchCli(env, ...words)
  // A command that does not read its input may have ended before it is written.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return ended
}

/** Starts a command; `ended` resolves with its result. */
export function launchCli(env: CliEnv, ...words: string[]) {
  const child = start(CLI_ENTRY, env, words)
  const ended = collectOutput(child).ended.then(({ signal: _, ...result }): CliResult => result)
  return { child, ended }
}

/** Runs a command with --json and returns the object it prints; fails unless it exits with 0. */
export async function runCliJson<T = Record<string, string>>(
  env: CliEnv,
  ...words: string[]
): Promise<T> {
  return parseJsonOutput(words, await runCli(env, ...words, '--json'))
}

/** The object that a command with --json has printed; fails unless it exited with 0. */
export function parseJsonOutput<T>(
  words: readonly string[],
  { code, stdout, stderr }: CliResult,
): T {
  if (code !== 0) throw new Error(`docket ${words.join(' ')}: ${code} ${stderr}`)
  return JSON.parse(stdout) as T
}

/** Starts a server; `serving` resolves with true once it serves, or with false if it ends before. */
export function launchServer(env: CliEnv, entry = SERVER_ENTRY) {
  const child = start(entry, env, [])
  child.stdin.end()
  const { output, ended } = collectOutput(child)
  const log = nextServerLog()
  if (log !== undefined) child.stderr.on('data', (chunk) => appendFileSync(log, chunk))
  const running = new Promise<true>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('Docket is running')) resolve(true)
    })
  })
  const serving = Promise.race([running, ended.then(() => false)])
  return { child, ended, serving, stdout: () => output.stdout, stderr: () => output.stderr }
}

/** Starts a server and waits until it serves, or has ended: then `serves` is false. */
export async function spawnServer(env: CliEnv, entry?: string) {
  const server = launchServer(env, entry)
  return { ...server, serves: await server.serving }
}

/** The part of this environment that child processes get: no settings, but the compile cache. */
export const BASE_ENV: CliEnv = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: resolve(process.env.NODE_COMPILE_CACHE ?? 'node_modules/.cache/compile'),
}

function start(script: string, env: CliEnv, words: string[]) {
  return spawn(process.execPath, [...NODE_ARGS, script, ...words], {
    env: { ...BASE_ENV, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

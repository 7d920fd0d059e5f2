import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../support/port.ts'

/** What a process wrote and how it ended. */
export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

type Env = Record<string, string>

/** A data directory and a port for a server that is not there yet; `remove` when done. */
export async function newPlace(env: Env = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'docket-cli-'))
  const port = String(await freePort())
  return {
    env: { DOCKET_DATA_DIR: dataDir, DOCKET_PORT: port, DOCKET_DEMO: '0', ...env },
    dataDir,
    url: `http://127.0.0.1:${port}`,
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

/** The command: packed, as the runner of the tests has it. */
export const CLI = process.env.TEST_CLI ?? 'src/cli/main.ts'

/** Runs a command to its end, as an operator would. */
export async function docket(env: Env, ...words: string[]): Promise<Ran> {
  const child = start(CLI, env, words)
  const [stdout, stderr] = [gathered(child.stdout), gathered(child.stderr)]
  const [code] = await once(child, 'close')
  return { code, stdout: stdout(), stderr: stderr() }
}

/** The same with --json: its one object, typed by what the caller expects of it. */
export async function answerOf<T = Record<string, string>>(
  env: Env,
  ...words: string[]
): Promise<T> {
  const ran = await docket(env, ...words, '--json')
  if (ran.code !== 0) throw new Error(`docket ${words.join(' ')}: ${ran.code} ${ran.stderr}`)
  return JSON.parse(ran.stdout) as T
}

/** Starts a server and waits until it serves; undefined where it ended instead. */
export async function serve(env: Env) {
  const child = start('src/main.ts', env, [])
  const [stdout, stderr] = [gathered(child.stdout), gathered(child.stderr)]
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stderr: stderr() }))
  const serving = new Promise<true>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('Docket serves')) resolve(true)
    })
  })
  const serves = await Promise.race([serving, ended.then(() => false)])
  return { child, ended, serves, stdout, stderr }
}

/** What a process has of the environment of this one: no settings, but the compiled code that npm gives it. */
export const SURROUNDINGS: Env = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? 'node_modules/.cache/compile',
}

function start(script: string, env: Env, words: string[]) {
  return spawn(process.execPath, [script, ...words], {
    env: { ...SURROUNDINGS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function gathered(stream: NodeJS.ReadableStream): () => string {
  const chunks: string[] = []
  stream.on('data', (chunk) => chunks.push(String(chunk)))
  return () => chunks.join('')
}

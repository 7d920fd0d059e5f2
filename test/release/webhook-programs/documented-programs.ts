import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BASE_ENV } from '#test/cli/run-cli.ts'
import { collectOutput } from '#test/support/system/child-processes.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { readCodeBlocks } from '../documents/code-blocks.ts'
import type { SignedPost } from './signed-posts.ts'

/** A program in a document that this machine can run. */
export interface DocumentedProgram {
  /** The file name in its first line, such as `verify.py`. */
  name: string
  command: string[]
}

/**
 * The command that runs a file by its extension, and arguments that test whether it is installed.
 */
export const INTERPRETERS: Record<string, [command: string, ...versionArgs: string[]]> = {
  ts: [process.execPath, '--version'],
  sh: ['sh', '-c', ':'],
  py: ['python3', '--version'],
  rb: ['ruby', '--version'],
  php: ['php', '--version'],
  go: ['go', 'version'],
}

/** The code blocks of a document that have a file name in their first line. */
export function readProgramTexts(document: string): { name: string; text: string }[] {
  return readCodeBlocks(document).flatMap(({ text }) => {
    const [, name] = /^(?:<\?php )?(?:#|\/\/) (\w+\.\w+)\n/.exec(text) ?? []
    return name === undefined ? [] : [{ name, text }]
  })
}

/**
 * The programs of a document whose names begin with `stem` and a dot, and the names of those that
 * no installed interpreter runs.
 */
export function readPrograms(
  document: string,
  stem: string,
): {
  programs: DocumentedProgram[]
  missing: string[]
} {
  const directory = createTempDir()
  const programs: DocumentedProgram[] = []
  const missing: string[] = []
  for (const { name, text } of readProgramTexts(document)) {
    if (!name.startsWith(`${stem}.`)) continue
    const extension = name.slice(stem.length + 1)
    const [command, ...versionArgs] = INTERPRETERS[extension] ?? ['no such thing']
    const path = join(directory, name)
    writeFileSync(path, text)
    if (spawnSync(command, versionArgs).error) missing.push(name)
    else if (extension === 'go') programs.push({ name, command: [buildGo(path)] })
    else if (extension === 'py') programs.push({ name, command: [findPython(), path] })
    else programs.push({ name, command: [command, path] })
  }
  return { programs, missing }
}

/** The program behind `python3`, which pyenv replaces by a script that takes longer than Python. */
export const findPython = (): string =>
  execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim()

/** The environment of a Go compiler. */
export const GO_ENV = {
  PATH: process.env.PATH,
  // One for each user of the machine, because others may not read its files.
  GOCACHE: join(tmpdir(), `docket-go-cache-${process.getuid?.() ?? 0}`),
}

/**
 * Compiles once, since `go run` would compile for every run. The cache is kept between test runs.
 */
function buildGo(path: string): string {
  const binary = path.replace(/\.go$/, '')
  execFileSync('go', ['build', '-o', binary, path], { env: GO_ENV, stdio: 'pipe' })
  return binary
}

/** How a program has answered a request. */
export interface ProgramResult {
  code: number | null
  printed: string
}

/** Runs it with a request as CGI passes it: the body on stdin, headers in the environment. */
export const runProgram = (
  { command }: DocumentedProgram,
  post: SignedPost,
): Promise<ProgramResult> => runToEnd(command, cgiVariables(post), post.body)

const cgiVariables = ({ headers, secret }: SignedPost): Record<string, string> => ({
  ...BASE_ENV,
  DOCKET_WEBHOOK_SECRET: secret,
  ...Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
      value,
    ]),
  ),
})

async function runToEnd(
  [command = '', ...args]: readonly string[],
  env: Record<string, string>,
  input: Buffer,
): Promise<ProgramResult> {
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const { ended } = collectOutput(child)
  // A program that rejects by the headers closes stdin early.
  child.stdin.on('error', () => {}).end(input)
  const { code, stdout } = await ended
  return { code, printed: stdout.trim() }
}

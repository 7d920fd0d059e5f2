import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyDir } from '#test/support/dir.ts'
import { blocksOf } from './blocks.ts'

/** A program of a document that can be run on this machine. */
export interface Program {
  /** As its first line says, such as `verify.py`. */
  name: string
  command: string[]
}

/** What runs a file by its ending, and how one sees whether it is here. */
export const INTERPRETERS: Record<string, [command: string, ...asked: string[]]> = {
  ts: [process.execPath, '--version'],
  sh: ['sh', '-c', ':'],
  py: ['python3', '--version'],
  rb: ['ruby', '--version'],
  php: ['php', '--version'],
  go: ['go', 'version'],
}

/** The blocks of a document whose first line names a file, and names of those that nothing here runs. */
export function programsOf(document: string): { programs: Program[]; missing: string[] } {
  const directory = emptyDir()
  const programs: Program[] = []
  const missing: string[] = []
  for (const { text } of blocksOf(document)) {
    const [, name, ending = ''] = /^(?:<\?php )?(?:#|\/\/) (\w+\.(\w+))\n/.exec(text) ?? []
    if (name === undefined) continue
    const [command, ...asked] = INTERPRETERS[ending] ?? ['no such thing']
    const path = join(directory, name)
    writeFileSync(path, text)
    if (spawnSync(command, asked).error) missing.push(name)
    else if (ending === 'go') programs.push({ name, command: [built(path)] })
    else programs.push({ name, command: [command, path] })
  }
  return { programs, missing }
}

/** `go run` would compile for every single run. Its cache is kept: the first time takes a while. */
function built(path: string): string {
  const env = { PATH: process.env.PATH, GOCACHE: join(tmpdir(), 'docket-go-cache') }
  const binary = path.replace(/\.go$/, '')
  execFileSync('go', ['build', '-o', binary, path], { env, stdio: 'pipe' })
  return binary
}

/** Runs it with a body and with headers named as CGI names them: the exit code and what it printed. */
export async function ran(
  { command: [command = '', ...args] }: Program,
  { headers, body, secret }: { headers: Record<string, string>; body: Buffer; secret: string },
): Promise<{ code: number; printed: string }> {
  const cgi = Object.entries(headers).map(([name, value]) => {
    return [`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, value]
  })
  const child = spawn(command, args, {
    env: {
      ...{ PATH: process.env.PATH, DOCKET_WEBHOOK_SECRET: secret },
      ...Object.fromEntries(cgi),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const closed = once(child, 'close')
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  // One that refuses at once does not read it to the end.
  child.stdin.on('error', () => {}).end(body)
  const [code] = await closed
  return { code, printed: printed.trim() }
}

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { answerOf, newPlace, serve } from '#test/cli/run.ts'
import { run } from './blocks.ts'

/**
 * Somebody who follows a document, beside a server with the workspace Acme and the project ENG.
 * `instead` says what is typed for other addresses that the document names, `more` what else is in the
 * environment of the commands.
 */
export async function newSession(
  t: TestContext,
  instead: Record<string, string> = {},
  more: Record<string, string> = {},
) {
  const place = await newPlace()
  t.after(place.remove)
  const { url, dataDir } = place
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
  const acme = await answerOf(place.env, 'workspace', 'create', '--name', 'Acme', ...owner)
  const called = ['--name', 'Engineering', '--prefix', 'ENG']
  const inAcme = ['--workspace', acme.workspace_id ?? '']
  const project = await answerOf(place.env, 'project', 'create', ...inAcme, ...called)
  const { child, ended } = await serve(place.env)
  t.after(() => child.kill('SIGKILL'))

  async function stop(): Promise<void> {
    child.kill('SIGTERM')
    await ended
  }

  /** What the reader has seen, from which ids, secrets and cursors are copied. */
  let screen = `${acme.workspace_id} ${acme.api_key} ${project.id}`
  const owner_password = acme.owner_password ?? ''
  const known = { DOCKET_KEY: acme.api_key ?? '', DOCKET_PASSWORD: owner_password }
  const env = { ...place.env, DOCKET_URL: url, ...known, ...more }
  const named = { 'http://127.0.0.1:4000': url, 'npm run --silent docket --': COMMAND }
  const addresses = Object.entries({ ...named, ...instead })
  const kept = join(dataDir, 'session.sh')
  writeFileSync(kept, '')

  /** A text of the document with real addresses, and the newest id of the kind where it has `…`. */
  function filled(text: string, where: string): string {
    const real = addresses.reduce((text, [named, real]) => text.replaceAll(named, real), text)
    return real.replace(/(\b[a-z]{3}_|\bwhsec_|\b(?:cursor|code)=)…/g, (_, kind: string) => {
      const newest = [...screen.matchAll(PATTERNS[kind] ?? RegExp(`\\b(${kind}\\w+)`, 'g'))].at(-1)
      assert.ok(newest?.[1], `${where}: nothing was printed for ${kind}…`)
      return kind.endsWith('=') ? kind + newest[1] : newest[1]
    })
  }

  /** A command in one shell, which keeps what earlier ones exported; gives what it printed. */
  async function typed(command: string, where: string): Promise<string> {
    const line = filled(command, where)
    const script = `. '${kept}'\n${line}\n{ export -p; declare -f; } > '${kept}'`
    const printed = await run('bash', ['--norc', '-ec', script], env)
    screen += printed
    return printed
  }

  /** A program for Node; gives what it printed. */
  async function ran(program: string, where: string): Promise<string> {
    const words = ['--input-type=module', '-e', filled(program, where)]
    return run(process.execPath, words, env)
  }

  /** Something that the reader has seen elsewhere, such as in a browser. */
  function saw(text: string): void {
    screen += text
  }

  return { url, env, owner_password, dataDir, filled, typed, ran, saw, stop }
}

const COMMAND = `'${process.execPath}' src/cli/main.ts`

const PATTERNS: Record<string, RegExp> = {
  'cursor=': /"next_cursor":"([\w.-]+)"/g,
  'code=': /[?&]code=([\w.~-]+)/g,
  whsec_: /\b(whsec_[\w+/=]+)/g,
}

/** A block's commands one by one: a later one may need an id that an earlier one printed. */
export const commandsIn = (text: string): string[] => text.split(/\n(?=api )/)

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Options of a commit; all of them have defaults. */
export interface CommitOptions {
  message?: string
  author?: string
  authored?: string
  committed?: string
  /** The paths that it changes. */
  paths?: string[]
  /** Encode the message in Latin-1, as old repositories do. */
  latin1?: boolean
  /** A second parent, which makes it a merge. */
  secondParent?: string
}

const COMMITTER = 'Grace Hopper <grace@example.com>'

/** Creates a repository that ignores the git configuration of the machine. */
export function createGitRepository() {
  const path = mkdtempSync(join(tmpdir(), 'docket-git-'))
  const git = (args: string[], env: Record<string, string> = {}, input: string | Buffer = '') =>
    execFileSync('git', ['-C', path, ...args], {
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        ...env,
      },
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    }).trim()
  git(['init', '-q', '-b', 'main'])

  let head: string | undefined

  /** Returns the hash. One program does it all, and takes the message unchanged. */
  function commit({
    message = '',
    author = COMMITTER,
    authored = '2024-02-29T10:00:00+0100',
    committed = '2024-03-01T10:00:00+0100',
    paths = [],
    secondParent,
    latin1 = false,
  }: CommitOptions): string {
    const files = paths.flatMap((name, at) => [
      `M 100644 inline ${name}\n`,
      data(`${message.slice(0, 20)} ${at}`),
    ])
    const commands = [
      `commit refs/heads/main\nmark :1\nauthor ${author} ${gitDate(authored)}\n`,
      `committer ${COMMITTER} ${gitDate(committed)}\n${latin1 ? 'encoding latin1\n' : ''}`,
      data(message, latin1 ? 'latin1' : 'utf8'),
      `${head ? `from ${head}\n` : ''}${secondParent ? `merge ${secondParent}\n` : ''}`,
      ...files,
      '\nget-mark :1\n',
    ]
    const input = Buffer.concat(
      commands.map((command) => (typeof command === 'string' ? Buffer.from(command) : command)),
    )
    head = git(['fast-import', '--quiet'], {}, input)
    return head
  }

  function note(hash: string, text: string): void {
    const date = '2024-03-02T10:00:00Z'
    const env = {
      ...personEnv('AUTHOR', COMMITTER, date),
      ...personEnv('COMMITTER', COMMITTER, date),
    }
    git(['notes', 'add', '-m', text, hash], env)
  }

  return { path, commit, note, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A text for `git fast-import`, with its length in bytes. */
function data(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Buffer {
  const bytes = Buffer.from(text, encoding)
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')])
}

/** A time such as `2024-02-29T10:00:00+0100` as seconds and time zone. */
function gitDate(time: string): string {
  const [local, zone] = [time.slice(0, -5), time.slice(-5)]
  return `${Date.parse(`${local}${zone.slice(0, 3)}:${zone.slice(3)}`) / 1000} ${zone}`
}

function personEnv(role: string, person: string, date: string): Record<string, string> {
  const [, name = '', email = ''] = /^(.*) <(.*)>$/.exec(person) ?? []
  return { [`GIT_${role}_NAME`]: name, [`GIT_${role}_EMAIL`]: email, [`GIT_${role}_DATE`]: date }
}

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** What of a commit a test wants to be odd. */
export interface Odd {
  message?: string
  author?: string
  authored?: string
  committed?: string
  /** Paths that it changes. */
  paths?: string[]
  /** Written in Latin-1, as old repositories were. */
  latin1?: boolean
  /** Another parent, for a merge. */
  merges?: string
}

const COMMITTER = 'Grace Hopper <grace@example.com>'

/** A repository of the test's own, whatever git the machine is set up to be. */
export function newRepository() {
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

  /** Gives the hash. Made by `commit-tree`, which takes a message as it is. */
  function commit({ message = '', author = COMMITTER, paths = [], merges, ...odd }: Odd): string {
    const encoding = odd.latin1 ? 'latin1' : 'utf8'
    for (const [at, name] of paths.entries()) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), `${message.slice(0, 20)} ${at}`)
    }
    git(['add', '-A'])
    const parents = [tip(), merges].flatMap((parent) => (parent ? ['-p', parent] : []))
    const env = {
      ...who('AUTHOR', author, odd.authored ?? '2024-02-29T10:00:00+0100'),
      ...who('COMMITTER', COMMITTER, odd.committed ?? '2024-03-01T10:00:00+0100'),
    }
    const args = ['-c', `i18n.commitEncoding=${encoding}`, 'commit-tree', git(['write-tree'])]
    const hash = git([...args, ...parents], env, Buffer.from(message, encoding))
    git(['update-ref', 'HEAD', hash])
    return hash
  }

  function tip(): string | undefined {
    try {
      return git(['rev-parse', '-q', '--verify', 'HEAD'])
    } catch {
      return undefined
    }
  }

  function note(hash: string, text: string): void {
    const date = '2024-03-02T10:00:00Z'
    const env = { ...who('AUTHOR', COMMITTER, date), ...who('COMMITTER', COMMITTER, date) }
    git(['notes', 'add', '-m', text, hash], env)
  }

  return { path, commit, note, remove: () => rmSync(path, { recursive: true, force: true }) }
}

function who(role: string, person: string, date: string): Record<string, string> {
  const [, name = '', email = ''] = /^(.*) <(.*)>$/.exec(person) ?? []
  return { [`GIT_${role}_NAME`]: name, [`GIT_${role}_EMAIL`]: email, [`GIT_${role}_DATE`]: date }
}

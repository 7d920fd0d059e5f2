import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

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

  /** Returns the hash. `commit-tree` takes the message unchanged. */
  function commit({
    message = '',
    author = COMMITTER,
    paths = [],
    secondParent,
    ...options
  }: CommitOptions): string {
    const encoding = options.latin1 ? 'latin1' : 'utf8'
    for (const [at, name] of paths.entries()) {
      mkdirSync(dirname(join(path, name)), { recursive: true })
      writeFileSync(join(path, name), `${message.slice(0, 20)} ${at}`)
    }
    git(['add', '-A'])
    const parents = [headHash(), secondParent].flatMap((parent) => (parent ? ['-p', parent] : []))
    const env = {
      ...personEnv('AUTHOR', author, options.authored ?? '2024-02-29T10:00:00+0100'),
      ...personEnv('COMMITTER', COMMITTER, options.committed ?? '2024-03-01T10:00:00+0100'),
    }
    const args = ['-c', `i18n.commitEncoding=${encoding}`, 'commit-tree', git(['write-tree'])]
    const hash = git([...args, ...parents], env, Buffer.from(message, encoding))
    git(['update-ref', 'HEAD', hash])
    return hash
  }

  function headHash(): string | undefined {
    try {
      return git(['rev-parse', '-q', '--verify', 'HEAD'])
    } catch {
      return undefined
    }
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

function personEnv(role: string, person: string, date: string): Record<string, string> {
  const [, name = '', email = ''] = /^(.*) <(.*)>$/.exec(person) ?? []
  return { [`GIT_${role}_NAME`]: name, [`GIT_${role}_EMAIL`]: email, [`GIT_${role}_DATE`]: date }
}

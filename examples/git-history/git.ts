import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A commit as git tells it; days as author and committer lived them, times with their offset. */
export interface Commit {
  hash: string
  parents: string[]
  author: Person
  committer: Person
  subject: string
  /** The message without its subject, trailers included. */
  body: string
  /** `Key: value`, folded lines joined. */
  trailers: string[]
  note: string
  /** Paths that differ from the parent; none for a merge. */
  paths: string[]
}

export interface Person {
  name: string
  email: string
  day: string
  time: string
}

/** What `--format` tells of a commit, in the order in which `read` takes it. */
const FIELDS = [
  ...['%H', '%P', '%aN', '%aE', '%as', '%aI', '%cN', '%cE', '%cs', '%cI'],
  ...['%s', '%b', '%(trailers:only,unfold)', '%N'],
]

/** Settings of the user's own git that would change the output are overruled. */
const LOG = [
  ...['-c', 'log.showSignature=false', 'log', '--reverse', '--topo-order', '--no-color'],
  ...['--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-diff-merges', '--notes'],
  ...['--encoding=UTF-8', `--format=%x00${FIELDS.join('%x00')}`, '--end-of-options'],
]

/** The commits of the revisions, parents before children, read as git writes them. */
export async function* commitsOf(repository: string, revisions: string): AsyncGenerator<Commit> {
  const git = spawn('git', ['-C', repository, ...LOG, revisions, '--'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaint = ''
  git.stderr.setEncoding('utf8').on('data', (part) => {
    complaint += part
  })
  const closed = once(git, 'close')
  closed.catch(() => {})
  try {
    yield* commitsIn(partsOf(git.stdout.setEncoding('utf8')))
    const [code] = await closed
    if (code !== 0) throw new Error(`git log failed: ${complaint.trim()}`)
  } finally {
    git.kill()
  }
}

/** What stands between zero bytes. A multi-byte character on the edge of a chunk stays whole. */
async function* partsOf(output: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = []
  for await (const chunk of output) {
    const [first = '', ...others] = chunk.split('\0')
    rest.push(first)
    if (others.length === 0) continue
    yield rest.join('')
    rest = [others.pop() ?? '']
    yield* others
  }
}

/**
 * A commit is an empty part, its fields, and its paths, the first of which follows a line feed.
 * A path is never empty, so an empty part ends them.
 */
async function* commitsIn(parts: AsyncGenerator<string>): AsyncGenerator<Commit> {
  let fields: string[] = []
  let paths: string[] = []
  for await (const part of parts) {
    if (fields.length === FIELDS.length && part !== '') {
      paths.push(paths.length === 0 ? part.replace(/^\n/, '') : part)
    } else if (fields.length === FIELDS.length) {
      yield read(fields, paths)
      fields = []
      paths = []
    } else if (fields.length > 0 || part !== '') fields.push(part)
  }
  if (fields.length === FIELDS.length) yield read(fields, paths)
}

function read(fields: string[], paths: string[]): Commit {
  const rest = [...fields]
  const next = () => rest.shift() ?? ''
  const person = () => ({ name: next(), email: next(), day: next(), time: next() })
  return {
    hash: next(),
    parents: words(next(), ' '),
    author: person(),
    committer: person(),
    subject: next(),
    body: next(),
    trailers: words(next(), '\n'),
    note: next(),
    paths,
  }
}

const words = (text: string, by: string) => text.split(by).filter((word) => word !== '')

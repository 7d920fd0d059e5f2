import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Fails on what a compiler cannot see: a type or an exported name that is declared twice, a reference to
 * a document, a section or a name that does not exist, and a command for a reader that cannot run.
 */
const CODE = [
  'src',
  'web/src',
  'cli/src',
  'test',
  'bench',
  'tools',
  'examples',
  'conformance',
].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,tsx}`, { exclude: ['**/node_modules/**', '**/dist/**'] }),
)
const DOCUMENTS = [
  ...['docs/**/*.md', '*.md', 'deploy/**/*.md', 'cli/*.md'].flatMap((pattern) => globSync(pattern)),
  ...globSync('{examples,conformance}/**/*.md', { exclude: ['**/node_modules/**'] }),
]

/** Operations are named by their verb: `create` in resources/tags/operations.ts implements `createTag`. */
const OPERATIONS = /^src\/resources\/(?:web-app\/|applications\/)?[\w-]+\/operations[./]/
const VERBS = ['content', 'create', 'get', 'list', 'remove', 'restore', 'rotate', 'update']

/** Relies on the formatter: a line comment follows a space or begins the line. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g

const { scripts }: { scripts: object } = JSON.parse(readFileSync('package.json', 'utf8'))

const mistakes = [
  ...repeatedNames(CODE),
  ...staleNames(CODE),
  ...[...CODE, ...DOCUMENTS].flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return [...brokenReferences(file, text), ...brokenCommands(file, text)]
  }),
]
console.log(mistakes.join('\n') || 'Names are in order.')
process.exitCode = mistakes.length > 0 ? 1 : 0

/** Relies on the formatter: what a module declares begins at the first column. */
function repeatedNames(files: readonly string[]): string[] {
  const declared = new Map<string, Set<string>>()
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    const types = text.matchAll(
      /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) ([\w$]+)/gm,
    )
    const values = text.matchAll(
      /^export (?:declare )?(?:async )?(?:const|let|function\*?|class) ([\w$]+)/gm,
    )
    for (const [, name = ''] of [...types, ...values]) {
      if (OPERATIONS.test(file) && VERBS.includes(name)) continue
      const where = declared.get(name) ?? new Set()
      declared.set(name, where.add(file))
    }
  }
  return [...declared]
    .filter(([, where]) => where.size > 1)
    .map(([name, where]) => `${name} is declared in ${[...where].join(' and ')}`)
}

/** Names in backticks in comments that look like names of code, and occur in no code. */
function staleNames(files: readonly string[]): string[] {
  const used = new Set<string>()
  const mentions: { file: string; name: string }[] = []
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    for (const [comment] of text.matchAll(COMMENT)) {
      for (const [, name = ''] of comment.matchAll(/`([A-Za-z_$][\w$]*)(?:\(\))?`/g)) {
        if (/[a-z][A-Z]|^[A-Z]+_[A-Z_]+$/.test(name)) mentions.push({ file, name })
      }
    }
    for (const [name] of text.replaceAll(COMMENT, '').matchAll(/[A-Za-z_$][\w$]*/g)) used.add(name)
  }
  return mentions
    .filter(({ name }) => !used.has(name))
    .map(({ file, name }) => `${file}: a comment names ${name}, which is nowhere`)
}

/** References of code begin at the root of the repository, those of a document beside it too. */
function brokenReferences(file: string, text: string): string[] {
  const broken: string[] = []
  for (const [whole, path = '', anchor] of text.matchAll(
    /(?<![\w./-])((?:\.\.?\/)*[\w-]+(?:\/[\w-]+)*\.md)(#[\w-]+)?/g,
  )) {
    const target = [path, join(dirname(file), path)].find((one) => existsSync(one))
    if (target === undefined) {
      if (/^(?:docs|\.\.?)\//.test(path)) broken.push(`${file}: there is no ${whole}`)
    } else if (anchor !== undefined && !anchorsOf(target).has(anchor)) {
      broken.push(`${file}: ${basename(target)} has no section ${anchor}`)
    }
  }
  for (const [whole] of text.matchAll(/\bcontract \d+(?:\.\d+)?\b/gi)) {
    broken.push(`${file}: "${whole}" is in no document: link to a section of docs/spec/api.md`)
  }
  return broken
}

/** Commands and paths begin at the root of the repository. */
function brokenCommands(file: string, text: string): string[] {
  const broken: string[] = []
  for (const [, npx, path = ''] of text.matchAll(
    /\b(npx )?node (?:-[^\s`]+ )*((?:bench|conformance|examples|src|test|tools|web)\/[^\s`]+\.ts)\b/g,
  )) {
    if (npx === undefined) {
      broken.push(`${file}: the Node of the system cannot run ${path}: write npx node`)
    }
    if (!path.includes('<') && !existsSync(path)) broken.push(`${file}: there is no ${path}`)
  }
  for (const [, name = ''] of text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g)) {
    if (!Object.hasOwn(scripts, name)) broken.push(`${file}: there is no script ${name}`)
  }
  const prose = file.endsWith('.md') ? [text] : (text.match(COMMENT) ?? [])
  for (const [, code = ''] of prose.join('\n').matchAll(/`([^`\n]+)`/g)) {
    for (const [path] of code.matchAll(
      /(?<![\w./-])(?:bench|conformance|deploy|docs|examples|src|test|tools|web)\/[\w./-]+\.\w+(?![\w/*{<-])/g,
    )) {
      if (!existsSync(path)) broken.push(`${file}: there is no ${path}`)
    }
  }
  return [...new Set(broken)]
}

/** The anchors of a Markdown page: its headings as GitHub writes them. */
function anchorsOf(file: string): Set<string> {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)
  return new Set(
    [...headings].map(([, title = '']) => {
      const words = title.toLowerCase().replace(/[^\p{L}\p{N}\- _]/gu, '')
      return `#${words.replaceAll(' ', '-')}`
    }),
  )
}

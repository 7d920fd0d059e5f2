import { TAR_END, tarHeader, tarPadding } from '#archive/format/tar.ts'
import type { ImportKind } from '#resources/imports/internal.ts'
import { createZip } from '../support/data/zip-archive.ts'

/** A file that takes long to read, or to import, for its size. */
export interface HostileImport {
  name: string
  filename?: string
  bytes: string | Buffer | Promise<Buffer>
  /** The code of the error, if the file is refused. */
  refused?: string
  /** Whether what it holds is imported and undone, too. */
  isImported?: boolean
}

const MEBI = 1_048_576
/** A little less than an element or a line may have. */
const ALMOST = 1_048_000
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
const fill = (part: string, length = ALMOST) => part.repeat(Math.floor(length / part.length))

/** JSON that is hard on a parser, in an element of about a million characters. */
const ELEMENTS = {
  'an element of many lists': `[${fill('[],')}0]`,
  'an element of many objects': `[${fill('{"a":{}},')}0]`,
  'an element of many names': `{${numbers(60_000)
    .map((at) => `"${at.toString(36)}":${at}`)
    .join(',')}}`,
}

/** Files that are refused, or of which nothing becomes of use, in each format that is JSON. */
const hostileJson = (before: string, after: string): HostileImport[] => [
  {
    name: 'many brackets behind a number',
    bytes: `{"x":1${fill('[]', MEBI / 4)}`,
    refused: 'json_malformed',
  },
  { name: 'many lists', bytes: `[${fill('[]', MEBI)}`, refused: 'json_malformed' },
  { name: 'many open brackets', bytes: fill('[', MEBI), refused: 'json_too_deep' },
  { name: 'blanks', bytes: `[${fill(' ', 8 * MEBI)}`, refused: 'entry_too_long' },
  {
    name: 'a long element',
    bytes: `${before}{"name":"${fill('a', 11 * MEBI)}"}${after}`,
    refused: 'entry_too_long',
  },
  { name: 'many short elements', bytes: `${before}${'0,'.repeat(20_000)}0${after}` },
  ...Object.entries(ELEMENTS).map(([name, element]) => ({
    name,
    bytes: `${before}${`${element},`}0${after}`,
  })),
]

/** Tables that are refused, or of which nothing becomes of use. */
const hostileTables = (columns: readonly string[]): HostileImport[] => {
  const table = (...lines: string[]) => [columns.join(','), ...lines].join('\n')
  const cells = (cell: string) => columns.map(() => cell).join(',')
  return [
    { name: 'a long line', bytes: table(fill('a', 5 * MEBI)), refused: 'line_too_long' },
    {
      name: 'an open quotation mark',
      bytes: table(`"${fill('a', MEBI / 2)}`),
      refused: 'quote_open',
    },
    {
      name: 'a line of too many cells',
      bytes: table(fill(','), fill(',')),
      refused: 'too_many_cells',
    },
    { name: 'lines of many cells', bytes: table(...numbers(50).map(() => fill(',', 16_000))) },
    { name: 'a line of many quotation marks', bytes: table(fill('""""'), fill("';'")) },
    { name: 'many short lines', bytes: table(...numbers(10_000).map(() => 'a')) },
    {
      name: 'long cells',
      bytes: table(
        ...['a,', 'a;', ' @a', '\r\n', '(1', 'Jan '].map((part) =>
          cells(`"${fill(part, ALMOST / columns.length)}"`),
        ),
      ),
    },
  ]
}

/** Of those, the ones that depend on what a reader does with a cell. */
const hostileCells = (columns: readonly string[]): HostileImport[] =>
  hostileTables(columns).filter(({ name }) => /long cells|short/.test(name))

const CSV_COLUMNS = ['id', 'title', 'parent', 'blocked by', 'tags', 'assignee', 'due', 'status']

/** One text in the archive of a workspace, whose lines may be long. */
function createArchive(parts: Record<string, string>): Buffer {
  const names = ['workspace', 'members', 'projects', 'tags', 'tasks', 'comments']
  const files = names.flatMap((name) => {
    const bytes = Buffer.from(parts[name] ?? '')
    return [tarHeader(`${name}.jsonl`, bytes.length), bytes, tarPadding(bytes.length)]
  })
  return Buffer.concat([...files, TAR_END])
}

const archivedTask = (id: string) => `{"id":"${id}","title":"One","deleted_at":null}\n`

/** Not compressed: what is too compressible is refused as such. */
const vikunjaZip = (data: string) =>
  createZip({ 'data.json': Buffer.from(data) }, { compress: false })

const zipped = (files: readonly HostileImport[]): HostileImport[] =>
  files.map((file) => ({ ...file, bytes: vikunjaZip(String(file.bytes)) }))

const manyFiles = (count: number) =>
  createZip(Object.fromEntries(numbers(count).map((at) => [`${at}.csv`, Buffer.from('a')])))

/** Files of every kind that are as hard on the event loop as they can be. */
export const HOSTILE_IMPORTS: Record<ImportKind, HostileImport[]> = {
  csv: [
    ...hostileTables(CSV_COLUMNS),
    {
      name: 'a long chain of parents',
      bytes: ['id,title,parent', ...numbers(5_000).map((at) => `${at},a,${at + 1}`)].join('\n'),
    },
    {
      name: 'many blockers',
      bytes: [
        'id,title,blocked by',
        ...numbers(1_000).map((at) => `${at},a,${numbers(50).map((n) => at + n + 1)}`),
      ]
        .map((line) => line.replace(/^(\w+,\w+),(\d.*)$/, '$1,"$2"'))
        .join('\n'),
    },
  ],
  jira: hostileCells(['Issue key', 'Summary', 'Comment', 'Labels', 'Assignee', 'Due date']),
  linear: hostileCells(['ID', 'Team', 'Title', 'Cycle Number', 'Labels', 'Blocked by', 'Due Date']),
  todoist: [
    ...hostileCells(['TYPE', 'CONTENT', 'INDENT', 'AUTHOR', 'DATE']),
    { name: 'a task of many words', bytes: `TYPE,CONTENT,INDENT\ntask,${fill(' @a')},1` },
    {
      name: 'long rows',
      isImported: true,
      bytes: `TYPE,CONTENT,INDENT\n${`task,Long,1\n${`note,${fill('Some words ', 60_000)},\n`.repeat(60)}`.repeat(3)}`,
    },
    { name: 'a ZIP of many files', filename: 'Backup.zip', bytes: manyFiles(200) },
    {
      name: 'a ZIP of too many files',
      filename: 'Backup.zip',
      bytes: manyFiles(10_001),
      refused: 'zip_too_many_files',
    },
  ],
  ticktick: hostileCells(['List Name', 'Title', 'Is Check list', 'taskId', 'Content', 'Tags']),
  github: [
    // A list among the issues is a page of them, so that of many lists come many rows.
    ...hostileJson('[', ']').filter(({ name }) => /names|short/.test(name)),
    {
      name: 'an issue of many comments, labels and people',
      bytes: `[{"title":"a","comments":[${fill('{},', MEBI / 3)}0],"labels":[${fill('{"name":"a"},', MEBI / 3)}0],"assignees":[${fill('{"login":"b"},', MEBI / 3 - 100)}0]}]`,
    },
  ],
  trello: [
    ...hostileJson('{"cards":[', ']}'),
    {
      name: 'a card of many labels and a checklist of many items',
      bytes: `{"cards":[{"id":"1","name":"a","labels":[${fill('{"name":"a"},')}0]}],"checklists":[{"idCard":"1","checkItems":[${fill('{"name":"a"},', MEBI / 8)}0]}]}`,
    },
  ],
  vikunja: [
    ...zipped(hostileJson('[{"tasks":[', ']}]').filter(({ name }) => name.includes('element'))),
    ...['<p>', '<li>', '<li<li', '&amp;', '<', '\n', '<p>a</p>'].map((part) => ({
      name: `HTML of many ${JSON.stringify(part)}`,
      bytes: vikunjaZip(
        `[{"tasks":[${[1, 2].map((id) => JSON.stringify({ id, title: 'a', description: `<b>${fill(part, (ALMOST / JSON.stringify(part).length) * part.length)}` }))}]}]`,
      ),
    })),
  ],
  docket: [
    {
      name: 'a long line',
      bytes: createArchive({ members: `{"id":"${fill('a', 7 * MEBI)}"}` }),
      refused: 'archive_damaged',
    },
    ...Object.entries(ELEMENTS).map(([name, element]) => ({
      name,
      bytes: createArchive({ projects: `{"statuses":${element}}\n`.repeat(3) }),
    })),
    {
      name: 'many short lines',
      bytes: createArchive({
        members: '{}\n'.repeat(60_000),
        tags: '{}\n'.repeat(60_000),
        tasks: '{}\n'.repeat(10_000),
        comments: '{}\n'.repeat(60_000),
      }),
    },
    {
      name: 'long rows',
      isImported: true,
      bytes: createArchive({
        tasks: numbers(3)
          .map((at) => archivedTask(`${at}`))
          .join(''),
        comments: numbers(180)
          .map((at) => `{"task_id":"${at % 3}","body":"${fill('Some words ', 60_000)}"}\n`)
          .join(''),
      }),
    },
  ],
}

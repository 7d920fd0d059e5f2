import { parseEstimate, parsePriority, readCellNames, splitAddress } from '#lib/cell-values.ts'
import { toOneLine } from '#lib/one-line.ts'
import {
  findWholeName,
  foldName,
  readSentence,
  type SentenceContext,
  type TypedValue,
} from '#lib/typed-sentence.ts'
import type { Member } from '#resources/members/contract.ts'
import type { Status } from '#resources/projects/contract.ts'
import { parsePastedLines } from '../../../lib/text/pasted-lines.ts'
import { parsePastedRows } from '../../../lib/text/pasted-rows.ts'

/** A pasted line or row of a spreadsheet, which becomes a task. */
export interface PastedTask {
  text: string
  isDone: boolean
  chips: readonly TypedValue[]
  /** What a row has beside its title that is no value of a task, a line for each cell. */
  description: string
  /** Of that, the columns that no field of a task has, and the values that their field cannot take. */
  unreadCells: readonly string[]
}

interface PasteVocabulary extends SentenceContext {
  members: readonly Pick<Member, 'id' | 'name' | 'email'>[]
  statuses: readonly Pick<Status, 'key' | 'name'>[]
}

/** The names of columns in English and German, in lower case. */
const COLUMNS = {
  title: /^(title|task|name|summary|subject|titel|aufgabe|betreff)$/,
  due: /^(due|due date|deadline|date|fällig|fällig am|fälligkeit|frist|datum)$/,
  who: /^(assignees?|assigned to|owner|who|person|zuständig|zugewiesen|verantwortlich)$/,
  tag: /^(tags?|labels?|schlagwörter)$/,
  priority: /^(priority|prio|priorität)$/,
  status: /^(status|state|zustand)$/,
  estimate: /^(estimate|time|aufwand|schätzung)$/,
  description: /^(description|notes?|details|beschreibung|notizen?)$/,
}
type Column = keyof typeof COLUMNS
/** No task may have more of anything. */
const MAX_NAMES = 1_000

const findColumn = (heading: string): Column | undefined =>
  (Object.keys(COLUMNS) as Column[]).find((name) => COLUMNS[name].test(heading.toLowerCase()))

/** The tasks of a pasted text: its lines, or the rows of a spreadsheet. */
export function parsePastedTasks(pasted: string, vocabulary: PasteVocabulary): PastedTask[] {
  const rows = parsePastedRows(pasted)
  if (rows.length < 2 || !rows.every((cells) => cells.length > 1))
    return parsePastedLines(pasted).map(({ text, isDone }) => ({
      isDone,
      description: '',
      unreadCells: [],
      ...parseLine(text, vocabulary),
    }))
  const [headings = []] = rows
  const columns = headings.map(findColumn)
  const hasHeadings = columns.includes('title') || columns.filter(Boolean).length > 1
  if (!hasHeadings) return rows.map((cells) => toTask(cells, [], [], vocabulary))
  return rows.slice(1).map((cells) => toTask(cells, columns, headings, vocabulary))
}

/** A line means what it would mean if it were typed; one that is nothing but values is a title. */
function parseLine(line: string, vocabulary: PasteVocabulary): Pick<PastedTask, 'text' | 'chips'> {
  const { title, values } = readSentence(line, vocabulary)
  return title === '' ? { text: line, chips: [] } : { text: title, chips: values }
}

function toTask(
  cells: readonly string[],
  columns: readonly (Column | undefined)[],
  headings: readonly string[],
  vocabulary: PasteVocabulary,
): PastedTask {
  const titleAt = columns.indexOf('title')
  let text = titleAt < 0 ? '' : toOneLine(cells[titleAt] ?? '')
  const chips: TypedValue[] = []
  const others: string[] = []
  const unreadCells: string[] = []
  for (const [at, cell] of cells.entries()) {
    const value = cell.trim()
    if (at === titleAt || value === '') continue
    const found = parseCell(value, columns[at], vocabulary)
    if (found.length > 0 && columns[at] !== 'description') chips.push(...found)
    else if (text === '') text = toOneLine(value)
    else if (columns[at] === 'description' || !headings[at]) others.push(value)
    else {
      const heading = headings[at].trim()
      others.push(`${heading}: ${value}`)
      unreadCells.push(columns[at] ? `${heading}: ${toOneLine(value)}` : heading)
    }
  }
  // A task has a title, also if each cell is a value.
  text ||= toOneLine(cells.find((cell) => cell.trim() !== '') ?? '')
  return { text, isDone: false, chips, description: others.join('\n\n'), unreadCells }
}

/** The values of a cell, which it must be as a whole; of an unknown column only what is certain. */
function parseCell(
  value: string,
  column: Column | undefined,
  vocabulary: PasteVocabulary,
): TypedValue[] {
  const { members, tags, canCreateTags } = vocabulary
  const read = (typed: string): readonly TypedValue[] => {
    const { title, values } = readSentence(`x ${typed}`, { ...vocabulary, canCreateTags: false })
    return title === 'x' ? values : []
  }
  const names = readCellNames(value, MAX_NAMES).map(toOneLine).filter(Boolean)
  const status = vocabulary.statuses.find(
    ({ name, key }) => foldName(name) === foldName(value) || key === value.toLowerCase(),
  )
  const statusChips: TypedValue[] = status
    ? [{ kind: 'status', typed: value, key: status.key, label: status.name }]
    : []
  if (column === 'status') return statusChips
  if (column === 'due') return [...read(`due ${value}`)]
  const readPerson = (typed: string): TypedValue[] => {
    const { name, address } = splitAddress(typed)
    const member =
      members.find(({ email }) => email === (address || name).toLowerCase()) ??
      findWholeName(name, members)
    return member ? [{ kind: 'who', typed, id: member.id, name: member.name }] : []
  }
  if (column === 'who') {
    const people = names.map(readPerson)
    return people.every(({ length }) => length > 0) ? people.flat() : []
  }
  if (column === 'tag') {
    const chips = names.flatMap((typed): TypedValue[] => {
      const tag = findWholeName(typed, tags)
      if (tag) return [{ kind: 'tag', typed, id: tag.id, name: tag.name }]
      return canCreateTags ? [{ kind: 'new tag', typed, name: typed }] : []
    })
    return chips.length === names.length ? chips : []
  }
  // As an import reads these two.
  if (column === 'priority') {
    const priority = parsePriority(value)
    return priority ? [{ kind: 'priority', typed: value, priority }] : [...read(`!${value}`)]
  }
  if (column === 'estimate') {
    const seconds = parseEstimate(value)
    return seconds === undefined ? [...read(value)] : [{ kind: 'estimate', typed: value, seconds }]
  }
  if (column !== undefined) return []
  return (
    [read(value), read(`!${value}`), statusChips, readPerson(value)]
      .find(({ length }) => length > 0)
      ?.slice() ?? []
  )
}

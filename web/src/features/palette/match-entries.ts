import type { Task } from '../../data/tasks/task-patch.ts'
import { isTaskFinished } from '../../data/tasks/task-patch.ts'
import type { IconName } from '../../ui/marks/icon.tsx'
import type { StatusMarkName } from '../../ui/marks/status-mark-name.ts'
import { matchText, type TextMatch, toSearchWords } from './text-match.ts'

/** A task, command or place in the palette. */
export interface PaletteEntry {
  /** Unique, and stable when the search is repeated. */
  key: string
  kind: 'task' | 'command' | 'place'
  label: string
  /** Shown in the gutter: a number, a shortcut or initials. */
  gutter: string
  /** Shown at the end of the line: what the entry belongs to, such as a project. */
  hint: string
  /** Lists of other words that people look for it by, the most usual first. */
  words?: readonly string[]
  icon?: IconName
  mark?: StatusMarkName
  /** `beside` opens a task in the side panel of the current screen. */
  run: (beside: boolean) => void
}

export interface MatchedPaletteEntry extends PaletteEntry {
  match: TextMatch
}

const MAX_MATCHES = 8

/** Parses a typed short id; undefined if no project has its prefix. */
export function parseShortId(typed: string, projects: readonly { prefix: string }[]) {
  const normalized = typed.trim().toUpperCase()
  const prefix = /^([A-Z][A-Z0-9]*)-[1-9][0-9]*$/.exec(normalized)?.[1]
  return projects.some((project) => project.prefix === prefix) ? normalized : undefined
}

/** Matches the label, its synonyms from the beginning of a word, or the gutter. */
function matchEntry({ label, words = [], gutter }: PaletteEntry, typed: readonly string[]) {
  const match = matchText(label, typed)
  const ranges = match?.ranges ?? []
  // The most usual synonym counts like a name, but for one that begins with the typed text.
  const isUsual = words.some((list) => typed.length > 0 && matchText(list, typed)?.score === 3)
  const score = isUsual ? 2.5 : 1.5
  if (match && match.score >= score) return match
  // Behind the dot, each match is at the beginning of a word or within one.
  const text = `. ${label} ${words.join(' ')}`
  const isSynonym = typed.every((word) => (matchText(text, [word])?.score ?? 0) > 1)
  return words.length > 0 && isSynonym
    ? { errors: 0, score, ranges }
    : (match ?? matchText(gutter, typed))
}

/** Matches the label or its synonyms but for typing errors. */
function matchMistypedEntry({ label, words = [] }: PaletteEntry, typed: readonly string[]) {
  const match = matchText(label, typed, true)
  if (match || words.length === 0) return match
  const synonym = matchText(`. ${label} ${words.join(' ')}`, typed, true)
  return synonym && { ...synonym, score: 0, ranges: [] }
}

/**
 * The entries that match the typed text, best first, limited to `MAX_MATCHES`. Typing errors are
 * forgiven if nothing matches as it was typed.
 */
export function matchEntries(
  entries: readonly PaletteEntry[],
  typed: string,
): MatchedPaletteEntry[] {
  const words = toSearchWords(typed)
  const matchBy = (match: typeof matchEntry) =>
    entries.flatMap((entry) => {
      const found = match(entry, words)
      return found ? [{ ...entry, match: found }] : []
    })
  const exact = matchBy(matchEntry)
  return (exact.length > 0 ? exact : matchBy(matchMistypedEntry))
    .toSorted((a, b) => a.match.errors - b.match.errors || b.match.score - a.match.score)
    .slice(0, MAX_MATCHES)
}

/** Of more tasks, typing errors would take longer than a frame to forgive. */
const MAX_FORGIVEN_TASKS = 5_000

/**
 * Matches loaded tasks: the exact number first, then by title, unfinished before finished. Typing
 * errors are forgiven if nothing matches as it was typed.
 */
export function matchLoadedTasks(tasks: readonly Task[], typed: string): Task[] {
  const words = toSearchWords(typed)
  if (words.length === 0) return []
  const exact = matchTitles(tasks, typed, words, false)
  return exact.length > 0
    ? exact
    : matchTitles(tasks.slice(0, MAX_FORGIVEN_TASKS), typed, words, true)
}

function matchTitles(
  tasks: readonly Task[],
  typed: string,
  words: readonly string[],
  isForgiving: boolean,
): Task[] {
  const normalized = typed.trim().toUpperCase()
  const scored: [Task, number][] = []
  for (const task of tasks) {
    const exact = task.short_id === normalized || String(task.number) === normalized
    const match = exact ? undefined : matchText(task.title, words, isForgiving)
    if (!exact && !match) continue
    const { errors = 0, score = 0 } = match ?? {}
    scored.push([task, (exact ? 100 : 0) + score - errors - (isTaskFinished(task) ? 1 : 0)])
  }
  return scored
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_MATCHES)
    .map(([task]) => task)
}

/**
 * Appends the tasks from the server to those already shown. Shown tasks keep their place, so that
 * the highlighted entry does not change just before the user presses Enter.
 */
export function mergeServerTasks(loaded: readonly Task[], fetched: readonly Task[]): Task[] {
  const loadedIds = new Set(loaded.map(({ id }) => id))
  // Each list has at most eight tasks, so the loaded ones do not crowd out those of the server.
  return [...loaded, ...fetched.filter(({ id }) => !loadedIds.has(id))]
}

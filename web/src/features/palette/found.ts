import type { Task } from '#resources/tasks/fields.ts'
import type { IconName } from '../../ui/icon.tsx'
import type { Stamp } from '../../ui/stamp.ts'
import { type Match, matchOf, wordsOf } from './match.ts'

/** A line of the palette. */
export interface Entry {
  /** Unique, and the same however often the search is repeated. */
  key: string
  kind: 'task' | 'command' | 'place'
  label: string
  /** In the gutter: a number, a shortcut, initials. */
  gutter: string
  /** At the end of the line: where it belongs. */
  hint: string
  icon?: IconName
  mark?: Stamp
  /** `beside`: opened next to the screen that is open. */
  run: (beside: boolean) => void
}

export interface Found extends Entry {
  match: Match
}

const MOST = 8

/** The short id that was typed, where there is a project of that prefix. */
export function shortIdOf(typed: string, projects: readonly { prefix: string }[]) {
  const wanted = typed.trim().toUpperCase()
  const prefix = /^([A-Z][A-Z0-9]*)-[1-9][0-9]*$/.exec(wanted)?.[1]
  return projects.some((project) => project.prefix === prefix) ? wanted : undefined
}

/** What of the entries fits, the best first, at most eight. */
export function fitting(entries: readonly Entry[], typed: string): Found[] {
  const words = wordsOf(typed)
  const found: Found[] = []
  for (const entry of entries) {
    const match = matchOf(entry.label, words) ?? matchOf(entry.gutter, words)
    if (match) found.push({ ...entry, match })
  }
  return found.toSorted((a, b) => b.match.score - a.match.score).slice(0, MOST)
}

/** Tasks that the page knows: an exact number first, then titles, those not finished before the others. */
export function knownTasks(tasks: readonly Task[], typed: string): Task[] {
  const words = wordsOf(typed)
  if (words.length === 0) return []
  const wanted = typed.trim().toUpperCase()
  const scored: [Task, number][] = []
  for (const task of tasks) {
    const exact = task.short_id === wanted || String(task.number) === wanted
    const match = exact ? undefined : matchOf(task.title, words)
    if (!exact && !match) continue
    const finished = task.completed_at !== null || task.canceled_at !== null
    scored.push([task, (exact ? 100 : 0) + (match?.score ?? 0) - (finished ? 1 : 0)])
  }
  return scored
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST)
    .map(([task]) => task)
}

/**
 * The tasks found here, then those that the server adds: what stands already keeps its place, so that the
 * highlighted line never moves under the hand.
 */
export function mergedTasks(known: readonly Task[], more: readonly Task[]): Task[] {
  const here = new Set(known.map(({ id }) => id))
  // Both have eight at the most: what the server alone knows is not crowded out.
  return [...known, ...more.filter(({ id }) => !here.has(id))]
}

import { foldCase } from '#lib/fold-case.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import {
  MAX_IMPORT_PEOPLE,
  MAX_IMPORT_PRIORITY_NAMES,
  MAX_IMPORT_PROJECTS,
  MAX_IMPORT_STATUS_NAMES,
} from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/load.ts'
import type { ParsedFile, ParsedRow } from '../sources/source-reader.ts'
import {
  createDayOrderCounter,
  guessDateOrder,
  guessStatusCategory,
  parsePriority,
  resolveDay,
} from './parse-values.ts'

const SAMPLE_SIZE = 10

/** A member who may be matched with a name in a file. */
export interface ImportMember {
  id: string
  name: string
  email: string
}

/** Builds the plan for a file from its rows. */
export interface PlanBuilder {
  /**
   * Adds the names in a row. Returns the row without those that are too many for the plan: they
   * become lines of the description, with a warning. A table may have a status for each row.
   */
  addRow(parsed: ParsedRow): ParsedRow
  build(): Pick<
    ImportPlan,
    | ('projects' | 'statuses' | 'has_unnamed_status' | 'people' | 'priorities')
    | ('day_orders' | 'date_order' | 'sample')
  >
}

/** Counts the names in a file row by row. Choices of the earlier plan are kept in the new one. */
export function createPlanBuilder(
  before: ImportPlan,
  { members, timezone }: { members: readonly ImportMember[]; timezone: string },
  categories: ParsedFile['statuses'] = new Map(),
): PlanBuilder {
  const projects = createNameCounter(MAX_IMPORT_PROJECTS)
  const statuses = createNameCounter(MAX_IMPORT_STATUS_NAMES)
  const people = createNameCounter(MAX_IMPORT_PEOPLE)
  const priorities = createNameCounter(MAX_IMPORT_PRIORITY_NAMES)
  const dayOrders = createDayOrderCounter()
  const sampleRows: ImportedTask[] = []
  let hasUnnamedStatus = false
  return {
    addRow({ row: given, warnings: earlier }) {
      const row = { ...given }
      const warnings = [...earlier]
      const notes = [...(row.notes ?? [])]
      const lose = (label: string, name: string, max: number) => {
        notes.push(`${label}: ${name}`)
        warnings.push(`${label}: "${name}" is one of more than ${max} in the file.`)
      }
      if (!projects.add(row.project)) {
        lose('Project', row.project, MAX_IMPORT_PROJECTS)
        row.project = projects.first()
      }
      if (row.status !== null && !statuses.add(row.status)) {
        lose('Status', row.status, MAX_IMPORT_STATUS_NAMES)
        row.status = null
      }
      hasUnnamedStatus ||= row.status === null && row.completed !== true
      const { priority_name = null } = row
      if (priority_name !== null && !priorities.add(priority_name)) {
        lose('Priority', priority_name, MAX_IMPORT_PRIORITY_NAMES)
        row.priority_name = null
      }
      // A person who cannot be chosen stays as a name, as one who is no member does.
      for (const name of row.assignees) people.add(name)
      for (const { author } of row.comments) if (author !== null) people.add(author)
      dayOrders.add(row)
      if (sampleRows.length < SAMPLE_SIZE)
        sampleRows.push({ ...row, description: null, comments: [] })
      return { row: { ...row, ...(notes.length > 0 && { notes }) }, warnings }
    },
    build() {
      const findMember = createMemberMatcher(members)
      const days = dayOrders.decide(before.date_order, guessDateOrder(timezone))
      return {
        projects: projects.withChoices<{ project_id: string | null }>(before.projects, () => ({
          project_id: null,
        })),
        statuses: statuses.withChoices(before.statuses, (name) => ({
          category: categories.get(name) ?? guessStatusCategory(name),
        })),
        has_unnamed_status: hasUnnamedStatus,
        people: people.withChoices(before.people, (name) => ({ user_id: findMember(name) })),
        priorities: priorities.withChoices(before.priorities, (name) => ({
          priority: parsePriority(name) ?? ('none' as const),
        })),
        ...days,
        sample: sampleRows.map((row) => toSample(row, days)),
      }
    },
  }
}

/** Matches a name with the member of that email address, or with the only member of that name. */
function createMemberMatcher(members: readonly ImportMember[]) {
  const ids = new Map<string, string | null>()
  for (const { id, name } of members) ids.set(foldCase(name), ids.has(foldCase(name)) ? null : id)
  for (const { id, email } of members) ids.set(foldCase(email), id)
  return (name: string): string | null => ids.get(foldCase(name.trim())) ?? null
}

function createNameCounter(max: number) {
  const counts = new Map<string, number>()
  return {
    /** Returns false for a name that is too many. */
    add(name: string): boolean {
      const count = counts.get(name) ?? 0
      if (count === 0 && counts.size >= max) return false
      counts.set(name, count + 1)
      return true
    },
    first: () => counts.keys().next().value ?? '',
    withChoices<T extends object>(
      choices: readonly (T & { name: string })[],
      guess: (name: string) => T,
    ) {
      const choiceByName = new Map(choices.map((one) => [one.name, one]))
      return [...counts].map(([name, count]) => ({
        ...guess(name),
        ...choiceByName.get(name),
        name,
        count,
      }))
    },
  }
}

type DayOrders = Pick<ImportPlan, 'day_orders' | 'date_order'>

const toSample = (row: ImportedTask, orders: DayOrders): ImportPlan['sample'][number] => ({
  number: row.number,
  title: row.title,
  status: row.status,
  due_date: resolveDay(orders, 'due_date', row.due_date),
  assignees: row.assignees.slice(0, 5),
  tags: row.tags.slice(0, 5),
})

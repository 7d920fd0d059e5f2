import { parsePriority, splitAddress } from '#lib/cell-values.ts'
import { foldCase } from '#lib/fold-case.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import {
  MAX_IMPORT_PEOPLE,
  MAX_IMPORT_PRIORITY_NAMES,
  MAX_IMPORT_PROJECTS,
  MAX_IMPORT_STATUS_NAMES,
} from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/load.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import type { ParsedRow, SourceReading } from '../sources/source.ts'
import { createLossNoter } from './fit-row.ts'
import {
  createDayOrderCounter,
  guessDateOrder,
  resolveImportedDates,
  statusCategoryOf,
} from './parse-values.ts'

const SAMPLE_SIZE = 10
/** In characters: a plan is read for each batch of tasks. */
const MAX_EXAMPLE_LENGTH = 80

/** A member who may be matched with a name in a file. */
interface ImportMember {
  id: string
  name: string
  email: string
}

/** Builds the plan for a file from the names in its rows. Choices of the earlier plan are kept in the new one. */
export function createPlanBuilder(
  before: ImportPlan,
  { members, timezone }: { members: readonly ImportMember[]; timezone: string },
  categories: SourceReading['statuses'],
) {
  const projects = createNameCounter(MAX_IMPORT_PROJECTS)
  const statuses = createNameCounter(MAX_IMPORT_STATUS_NAMES)
  const people = createNameCounter(MAX_IMPORT_PEOPLE)
  const priorities = createNameCounter(MAX_IMPORT_PRIORITY_NAMES)
  const dayOrders = createDayOrderCounter()
  const sampleRows: ImportedTask[] = []
  let hasUnnamedStatus = false
  return {
    /**
     * Adds the names in a row. Returns the row without those that are too many for the plan: they
     * become lines of the description, with a warning. A table may have a status for each row.
     */
    addRow({ row: given, warnings: earlier }: ParsedRow): ParsedRow {
      const { title, assignees, comments, priority_name = null } = given
      const [warnings, notes] = [[...earlier], [...(given.notes ?? [])]]
      const lose = createLossNoter(notes, warnings)
      const row = { ...given }
      if (!projects.add(row.project, title)) {
        lose('project', row.project, 'too_many', MAX_IMPORT_PROJECTS)
        row.project = projects.first()
      }
      if (row.status !== null && !statuses.add(row.status, title)) {
        lose('status', row.status, 'too_many', MAX_IMPORT_STATUS_NAMES)
        row.status = null
      }
      hasUnnamedStatus ||= row.status === null && row.completed !== true
      if (priority_name !== null && !priorities.add(priority_name, title)) {
        lose('priority', priority_name, 'too_many', MAX_IMPORT_PRIORITY_NAMES)
        row.priority_name = null
      }
      // A person who cannot be chosen stays as a name, as one who is no member does.
      for (const name of assignees) people.add(name, title)
      for (const { author } of comments) if (author !== null) people.add(author, title)
      dayOrders.add(row)
      if (sampleRows.length < SAMPLE_SIZE)
        sampleRows.push({ ...row, description: null, comments: [] })
      return { row: { ...row, ...(notes.length > 0 && { notes }) }, warnings }
    },
    build() {
      const findMember = createMemberMatcher(members)
      const days = dayOrders.decide(before.date_order, guessDateOrder(timezone))
      return {
        projects: projects.withChoices<{ project_id: string | null }>(
          before.projects,
          { project_id: null },
          () => ({ project_id: null }),
        ),
        statuses: statuses.withChoices<{ category: StatusCategory }>(
          before.statuses,
          { category: 'unstarted' },
          (name) => {
            const category = categories.get(name) ?? statusCategoryOf(name)
            return category && { category }
          },
        ),
        has_unnamed_status: hasUnnamedStatus,
        people: people.withChoices<{ user_id: string | null }>(
          before.people,
          { user_id: null },
          (name) => {
            const user_id = findMember(name)
            return user_id === undefined ? undefined : { user_id }
          },
        ),
        priorities: priorities.withChoices<{ priority: ImportedTask['priority'] }>(
          before.priorities,
          { priority: 'none' },
          (name) => {
            const priority = parsePriority(name)
            return priority && { priority }
          },
        ),
        ...days,
        sample: sampleRows.map((row) => toSample(row, days, timezone)),
      } satisfies Partial<ImportPlan>
    },
  }
}

/**
 * Matches a name with the member of that email address, or with the only member of that name. Some
 * tools put the family name first, `Keller, Jonas`, others the address behind it, `Ada <ada@acme.example>` or
 * `Ada (ada@acme.example)`.
 */
function createMemberMatcher(members: readonly ImportMember[]) {
  const ids = new Map<string, string | undefined>()
  for (const { id, name } of members)
    ids.set(foldCase(name), ids.has(foldCase(name)) ? undefined : id)
  for (const { id, email } of members) ids.set(foldCase(email), id)
  const idOf = (name: string): string | undefined => ids.get(foldCase(name.trim()))
  return (given: string): string | undefined => {
    const { name, address } = splitAddress(given)
    const turned = name.replace(/^([^,]*),([^,]*)$/, '$2 $1').replace(/\s+/g, ' ')
    return idOf(address) ?? idOf(name) ?? idOf(turned)
  }
}

function createNameCounter(max: number) {
  const counts = new Map<string, { count: number; example: string }>()
  return {
    /** Returns false for a name that is too many. `title` is that of the row. */
    add(name: string, title: string): boolean {
      const entry = counts.get(name)
      if (!entry && counts.size >= max) return false
      if (entry) entry.count += 1
      else
        counts.set(name, { count: 1, example: title.slice(0, MAX_EXAMPLE_LENGTH).toWellFormed() })
      return true
    },
    first: () => counts.keys().next().value ?? '',
    /** The names with what is chosen for them, or guessed, or else `fallback`. */
    withChoices<T extends object>(
      choices: readonly (T & { name: string })[],
      fallback: T,
      guess: (name: string) => T | undefined,
    ) {
      const choiceByName = new Map(choices.map((one) => [one.name, one]))
      return [...counts].map(([name, found]) => {
        const match = guess(name)
        const is_known = match !== undefined
        return { ...(match ?? fallback), ...choiceByName.get(name), is_known, name, ...found }
      })
    },
  }
}

function toSample(
  row: ImportedTask,
  orders: Pick<ImportPlan, 'day_order' | 'date_order'>,
  timezone: string,
): ImportPlan['sample'][number] {
  const { start_date, due_date } = resolveImportedDates(orders, row, timezone)
  return {
    number: row.number,
    title: row.title,
    status: row.status,
    priority: row.priority_name ?? row.priority,
    start_date,
    due_date,
    assignees: row.assignees.slice(0, 5),
    tags: row.tags.slice(0, 5),
  }
}

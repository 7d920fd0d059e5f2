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
import type { ParsedRow, SourceReading } from '../sources/source.ts'
import { toNote, toWarning } from './fit-row.ts'
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
  categories: SourceReading['statuses'],
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
      const lose = (field: string, name: string, max: number) => {
        notes.push(toNote(field, name))
        warnings.push(toWarning('too_many', field, name, max))
      }
      if (!projects.add(row.project, row.title)) {
        lose('project', row.project, MAX_IMPORT_PROJECTS)
        row.project = projects.first()
      }
      if (row.status !== null && !statuses.add(row.status, row.title)) {
        lose('status', row.status, MAX_IMPORT_STATUS_NAMES)
        row.status = null
      }
      hasUnnamedStatus ||= row.status === null && row.completed !== true
      const { priority_name = null } = row
      if (priority_name !== null && !priorities.add(priority_name, row.title)) {
        lose('priority', priority_name, MAX_IMPORT_PRIORITY_NAMES)
        row.priority_name = null
      }
      // A person who cannot be chosen stays as a name, as one who is no member does.
      for (const name of row.assignees) people.add(name, row.title)
      for (const { author } of row.comments) if (author !== null) people.add(author, row.title)
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
          guess: { project_id: null },
          is_known: true,
        })),
        statuses: statuses.withChoices(before.statuses, (name) => {
          const category = categories.get(name) ?? statusCategoryOf(name)
          return {
            guess: { category: category ?? ('unstarted' as const) },
            is_known: category !== undefined,
          }
        }),
        has_unnamed_status: hasUnnamedStatus,
        people: people.withChoices(before.people, (name) => {
          const user_id = findMember(name)
          return { guess: { user_id }, is_known: user_id !== null }
        }),
        priorities: priorities.withChoices(before.priorities, (name) => {
          const priority = parsePriority(name)
          return {
            guess: { priority: priority ?? ('none' as const) },
            is_known: priority !== undefined,
          }
        }),
        ...days,
        sample: sampleRows.map((row) => toSample(row, days, timezone)),
      }
    },
  }
}

/**
 * Matches a name with the member of that email address, or with the only member of that name. Some
 * tools put the family name first, `Keller, Jonas`, others the address behind it, `Ada <ada@acme.example>` or
 * `Ada (ada@acme.example)`.
 */
function createMemberMatcher(members: readonly ImportMember[]) {
  const ids = new Map<string, string | null>()
  for (const { id, name } of members) ids.set(foldCase(name), ids.has(foldCase(name)) ? null : id)
  for (const { id, email } of members) ids.set(foldCase(email), id)
  const idOf = (name: string): string | null => ids.get(foldCase(name.trim())) ?? null
  return (given: string): string | null => {
    const { name, address } = splitAddress(given)
    return idOf(address) ?? matchName(name)
  }

  function matchName(name: string): string | null {
    const [family = '', given, ...more] = name.split(',')
    const isTurned = given !== undefined && more.length === 0
    return idOf(name) ?? (isTurned ? idOf(`${given.trim()} ${family.trim()}`) : null)
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
    withChoices<T extends object>(
      choices: readonly (T & { name: string })[],
      decide: (name: string) => { guess: T; is_known: boolean },
    ) {
      const choiceByName = new Map(choices.map((one) => [one.name, one]))
      return [...counts].map(([name, found]) => {
        const { guess, is_known } = decide(name)
        return { ...guess, ...choiceByName.get(name), is_known, name, ...found }
      })
    },
  }
}

type DayOrders = Pick<ImportPlan, 'day_orders' | 'date_order'>

const pickDays = ({ start_date, due_date }: ReturnType<typeof resolveImportedDates>) => ({
  start_date,
  due_date,
})

const toSample = (
  row: ImportedTask,
  orders: DayOrders,
  timezone: string,
): ImportPlan['sample'][number] => ({
  number: row.number,
  title: row.title,
  status: row.status,
  priority: row.priority_name ?? row.priority,
  ...pickDays(resolveImportedDates(orders, row, timezone)),
  assignees: row.assignees.slice(0, 5),
  tags: row.tags.slice(0, 5),
})

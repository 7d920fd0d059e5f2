import { foldCase } from '#lib/fold-case.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import {
  MAX_IMPORT_PEOPLE,
  MAX_IMPORT_PROJECTS,
  MAX_IMPORT_STATUS_NAMES,
} from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/plan.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import type { ParsedFile } from '../sources/source-reader.ts'
import { guessStatusCategory } from './parse-values.ts'

const SAMPLE_SIZE = 10
const MAX_NAME_LENGTH = 500

/** A member who may be matched with a name in a file. */
export interface ImportMember {
  id: string
  name: string
  email: string
}

/** Builds the plan for a file from its rows. */
export interface PlanBuilder {
  addRow(row: ImportedTask): void
  build(): Pick<ImportPlan, 'projects' | 'statuses' | 'people' | 'sample'>
}

/** Counts the names in a file row by row. Choices of the earlier plan are kept in the new one. */
export function createPlanBuilder(
  before: ImportPlan,
  members: readonly ImportMember[],
  categories: ParsedFile['statuses'] = new Map(),
): PlanBuilder {
  const projects = createNameCounter('projects', MAX_IMPORT_PROJECTS)
  const statuses = createNameCounter('statuses', MAX_IMPORT_STATUS_NAMES)
  const people = createNameCounter('people', MAX_IMPORT_PEOPLE)
  const sample: ImportPlan['sample'] = []
  return {
    addRow(row) {
      projects.add(row.project)
      if (row.status !== null) statuses.add(row.status)
      for (const name of row.assignees) people.add(name)
      for (const { author } of row.comments) if (author !== null) people.add(author)
      if (sample.length < SAMPLE_SIZE) sample.push(toSample(row))
    },
    build() {
      const findMember = createMemberMatcher(members)
      return {
        projects: projects.withChoices<{ project_id: string | null }>(before.projects, () => ({
          project_id: null,
        })),
        statuses: statuses.withChoices(before.statuses, (name) => ({
          category: categories.get(name) ?? guessStatusCategory(name),
        })),
        people: people.withChoices(before.people, (name) => ({ user_id: findMember(name) })),
        sample,
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

function createNameCounter(what: string, max: number) {
  const counts = new Map<string, number>()
  return {
    add(name: string): void {
      if (name.length > MAX_NAME_LENGTH)
        throw new UnreadableFileError(`A name among the ${what} is too long.`)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (counts.size > max) {
        throw new UnreadableFileError(
          `The file names more than ${max} ${what}: is the right column chosen?`,
        )
      }
    },
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

const toSample = ({ number, title, status, due_date, assignees, tags }: ImportedTask) => ({
  ...{ number, title: [...title.toWellFormed()].slice(0, 500).join(''), status, due_date },
  ...{ assignees: assignees.slice(0, 5), tags: tags.slice(0, 5) },
})

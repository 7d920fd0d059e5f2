import { fold } from '#lib/fold.ts'
import { MOST_PEOPLE, MOST_PROJECTS, MOST_STATUS_NAMES } from '#resources/imports/internal.ts'
import type { Plan } from '#resources/imports/plan.ts'
import type { Row } from '#resources/imports/row.ts'
import { categoryOf } from './guess.ts'
import type { Reading } from './reading.ts'
import { Unreadable } from './unreadable.ts'

const SAMPLE = 10
const MOST_OF_NAME = 500

/** A member whom a name in a file may mean. */
export interface Member {
  id: string
  name: string
  email: string
}

/** Counts what a file holds as its rows go by, and gives the plan for it: choices made before stay. */
export function tallyOf(
  before: Plan,
  members: readonly Member[],
  categories: Reading['statuses'] = new Map(),
) {
  const projects = counter('projects', MOST_PROJECTS)
  const statuses = counter('statuses', MOST_STATUS_NAMES)
  const people = counter('people', MOST_PEOPLE)
  const sample: Plan['sample'] = []
  return {
    see(row: Row): void {
      projects.add(row.project)
      if (row.status !== null) statuses.add(row.status)
      for (const name of row.assignees) people.add(name)
      for (const { author } of row.comments) if (author !== null) people.add(author)
      if (sample.length < SAMPLE) sample.push(shortOf(row))
    },
    plan(): Pick<Plan, 'projects' | 'statuses' | 'people' | 'sample'> {
      const meant = meantBy(members)
      return {
        projects: projects.with<{ project_id: string | null }>(before.projects, () => ({
          project_id: null,
        })),
        statuses: statuses.with(before.statuses, (name) => ({
          category: categories.get(name) ?? categoryOf(name),
        })),
        people: people.with(before.people, (name) => ({ user_id: meant(name) })),
        sample,
      }
    },
  }
}

/** Whom a name means: the member of that address, or the only one of that name. */
function meantBy(members: readonly Member[]) {
  const by = new Map<string, string | null>()
  for (const { id, name } of members) by.set(fold(name), by.has(fold(name)) ? null : id)
  for (const { id, email } of members) by.set(fold(email), id)
  return (name: string): string | null => by.get(fold(name.trim())) ?? null
}

function counter(what: string, most: number) {
  const counts = new Map<string, number>()
  return {
    add(name: string): void {
      if (name.length > MOST_OF_NAME) throw new Unreadable(`A name among the ${what} is too long.`)
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (counts.size > most) {
        throw new Unreadable(
          `The file names more than ${most} ${what}: is the right column chosen?`,
        )
      }
    },
    with<T extends object>(chosen: readonly (T & { name: string })[], guess: (name: string) => T) {
      const by = new Map(chosen.map((one) => [one.name, one]))
      return [...counts].map(([name, count]) => ({ ...guess(name), ...by.get(name), name, count }))
    },
  }
}

const shortOf = ({ number, title, status, due_date, assignees, tags }: Row) => ({
  ...{ number, title: [...title.toWellFormed()].slice(0, 500).join(''), status, due_date },
  ...{ assignees: assignees.slice(0, 5), tags: tags.slice(0, 5) },
})

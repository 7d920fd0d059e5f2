import type { Page } from '@playwright/test'
import type { getTask } from '#resources/tasks/contract.ts'
import type { Reply } from '#wire/endpoint.ts'
import type { Scene } from './browse.ts'
import type { Person } from './team.ts'

type Task = Reply<typeof getTask>

const MOST = 100
const SUBJECTS = ['Invoice', 'Export', 'Search', 'Login', 'Report', 'Mail import', 'Draft', 'Page']
const DOINGS = ['shows last year', 'is slow', 'fails at midnight', 'needs a title', 'forgets names']
const STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'done']
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const

/** The n-th of many tasks: each quality is spread over them. */
export const taskOf = (n: number, { people }: Scene['team']) => ({
  title: `${SUBJECTS[n % 8]} ${DOINGS[n % 5]}, case ${n + 1}`,
  status: STATUSES[(n * 3) % 5] ?? 'todo',
  priority: PRIORITIES[(n * 7) % 5] ?? 'none',
  ...(n % 3 > 0 && { assignee_ids: [n % 2 ? people.member.id : people.owner.id] }),
  ...(n % 4 === 0 && { due_date: dayFrom((n % 29) - 7) }),
  ...(n % 5 === 0 && { estimate_seconds: 1_800 * (1 + (n % 6)) }),
  ...(n % 2 === 0 && { description: `It was seen by a customer.\n\n- [ ] look\n- [x] ask` }),
})

/** The day so many days from now, where the people of test/support/home.ts live. */
export const dayFrom = (days: number): string =>
  Temporal.Now.plainDateISO('Europe/Zurich').add({ days }).toString()

/** Makes so many tasks in the team's open project, through the real API; gives them in order. */
export async function seedTasks(
  { ask, team }: Pick<Scene, 'ask' | 'team'>,
  count: number,
  make: (n: number, team: Scene['team']) => object = taskOf,
): Promise<Task[]> {
  const made: Task[] = []
  for (let from = 0; from < count; from += MOST) {
    const operations = Array.from({ length: Math.min(MOST, count - from) }, (_, at) => ({
      op: 'create',
      data: { project_id: team.project, ...make(from + at, team) },
    }))
    const reply = await ask<{ results: { data: Task | null; error: unknown }[] }>(
      'owner',
      'POST /api/v1/tasks/bulk',
      { operations },
    )
    for (const { data, error } of reply.results) {
      if (!data) throw new Error(`A task was refused: ${JSON.stringify(error)}`)
      made.push(data)
    }
  }
  return made
}

/** Signs somebody in by the form, as people do. */
export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/w/**')
}

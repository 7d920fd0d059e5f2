import type { Page } from '@playwright/test'
import type { getTask } from '#resources/tasks/contract.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import type { BrowserFixture } from './browser-test.ts'
import type { TeamMember } from './team.ts'

type TaskReply = EndpointReply<typeof getTask>

const MAX_OPERATIONS = 100
const SUBJECTS = ['Invoice', 'Export', 'Search', 'Login', 'Report', 'Mail import', 'Draft', 'Page']
const PROBLEMS = [
  'shows last year',
  'is slow',
  'fails at midnight',
  'needs a title',
  'forgets names',
]
const STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'done']
const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const

/** The n-th of many sample tasks; statuses, priorities and dates are spread over them. */
export const sampleTask = (n: number, { people }: BrowserFixture['team']) => ({
  title: `${SUBJECTS[n % 8]} ${PROBLEMS[n % 5]}, case ${n + 1}`,
  status: STATUSES[(n * 3) % 5] ?? 'todo',
  priority: PRIORITIES[(n * 7) % 5] ?? 'none',
  ...(n % 3 > 0 && { assignee_ids: [n % 2 ? people.member.id : people.owner.id] }),
  ...(n % 4 === 0 && { due_date: dateFromToday((n % 29) - 7) }),
  ...(n % 5 === 0 && { estimate_seconds: 1_800 * (1 + (n % 6)) }),
  ...(n % 2 === 0 && { description: `It was seen by a customer.\n\n- [ ] look\n- [x] ask` }),
})

/** The time zone of the people of test/support/world/test-workspace.ts. */
const ZONE = 'Europe/Zurich'

/** The date a number of days from now, in the time zone of the people. */
export const dateFromToday = (days: number): string =>
  Temporal.Now.plainDateISO(ZONE).add({ days }).toString()

/** Noon of today in the time zone of the people: no page reads anything because a day begins. */
export const noonToday = (): number =>
  Temporal.Now.zonedDateTimeISO(ZONE).with({ hour: 12, minute: 0 }).epochMilliseconds

/** The last half minute of today in the time zone of the people, for the clock of a page. */
export const beforeMidnight = (): number =>
  Temporal.Now.zonedDateTimeISO(ZONE).with({ hour: 23, minute: 59, second: 30 }).epochMilliseconds

/** Creates tasks in the open project of the team through the API and returns them in order. */
export async function seedTasks(
  { ask, team }: Pick<BrowserFixture, 'ask' | 'team'>,
  count: number,
  make: (n: number, team: BrowserFixture['team']) => object = sampleTask,
): Promise<TaskReply[]> {
  const created: TaskReply[] = []
  for (let from = 0; from < count; from += MAX_OPERATIONS) {
    const operations = Array.from({ length: Math.min(MAX_OPERATIONS, count - from) }, (_, at) => ({
      op: 'create',
      data: { project_id: team.project, ...make(from + at, team) },
    }))
    const reply = await ask<{ results: { data: TaskReply | null; error: unknown }[] }>(
      'owner',
      'POST /api/v1/tasks/bulk',
      { operations },
    )
    for (const { data, error } of reply.results) {
      if (!data) throw new Error(`A task was refused: ${JSON.stringify(error)}`)
      created.push(data)
    }
  }
  return created
}

/** Archives the open project of the team, as its owner does. */
export async function archiveOpenProject({
  as,
  team,
}: Pick<BrowserFixture, 'as' | 'team'>): Promise<void> {
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/my`)
  const status = await page.evaluate(
    async (address) => (await fetch(address, { method: 'POST' })).status,
    `/internal/projects/${team.project}/archive`,
  )
  if (status !== 200) throw new Error(`The project was not archived: ${status}`)
}

/** Signs in through the sign-in form. */
export async function signInByForm(page: Page, { email, password }: TeamMember): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/w/**')
}

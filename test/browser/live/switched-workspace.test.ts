import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { openLiveStream } from '../../support/server/live-stream.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { typeInFocusedField } from '../support/page-actions.ts'
import { holdReads } from '../support/route-requests.ts'
import { joinSecondWorkspace } from '../support/second-workspace.ts'
import { seedTasks, signInByForm } from '../support/seed.ts'
import { createSessionCookie } from '../support/team.ts'

interface SavedTask {
  version: number
  status_category: string
  completed_by_id: string | null
}

/** Opens My work of the member with one task. */
async function openMyWork(fixture: BrowserFixture, title: string, opened?: Page) {
  const { as, ask, team, allow } = fixture
  // A read of changes may be under way when the session changes, to which its position is unknown.
  allow(/status of 4[01]0 .*\/(api\/v1|internal)\/changes\?after=/)
  // So may other requests, which are refused.
  allow(409)
  const [task] = await seedTasks(fixture, 1, (_, { people }) => ({
    title,
    assignee_ids: [people.member.id],
  }))
  const page = opened ?? (await as('member'))
  await page.clock.install()
  // Without a connection it would not learn of a change while its reads are held.
  await page.goto(`/w/${team.workspace}/my`)
  await page.getByText('Live').waitFor()
  const row = page.getByRole('row').filter({ hasText: title })
  await expect(row).toBeVisible()
  const path = `/api/v1/tasks/${task?.id}`
  return { page, row, path, saved: () => ask<SavedTask>('owner', `GET ${path}`) }
}

/** Records the API requests of a page from now on, such as `PATCH /internal/session`. */
function recordRequests(page: Page): string[] {
  const requests: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/^\/(api|internal)\//.test(pathname)) requests.push(`${request.method()} ${pathname}`)
  })
  return requests
}

browserTest(
  'a tab sends no request in the workspace that another tab switched to',
  async (fixture) => {
    const { team, ask, docket } = fixture
    const other = await joinSecondWorkspace(docket, team.people.member.id)
    const { page: first, row, path, saved } = await openMyWork(fixture, 'Of the first')

    // Opening the other workspace switches the session, which the second tab announces.
    const second = await first.context().newPage()
    await second.goto(`/w/${other.workspace}/my`)
    const bar = first.getByText('You switched to The other')
    await expect(second.getByText('Tasks belong to a project. Create one to begin.')).toBeVisible()
    await expect(second.getByText('Of the first')).toHaveCount(0)
    await expect(bar).toBeVisible()

    const requests = recordRequests(first)
    const cookie = await createSessionCookie(docket, team, 'owner')
    const live = await openLiveStream(Number(new URL(docket.url).port), {
      cookie: `${cookie.name}=${cookie.value}`,
    })
    await row.getByRole('button', { name: /Complete or reopen/ }).click()
    await first.getByRole('link', { name: 'Created by me' }).click()
    await ask('owner', `PATCH ${path}`, { title: 'Of the first, renamed' })
    // The live stream has sent the change, so the tab has no other reason to delay reading.
    await expect.poll(() => live.news().length).toBeGreaterThan(0)
    live.close()
    await first.clock.runFor(10_000)

    // Another field was changed meanwhile: the write is retried on top of that version.
    fixture.allow(412)
    // After switching back, the held write is sent and missed changes are loaded.
    await first.getByRole('button', { name: 'Switch back' }).click()
    await expect(bar).toBeHidden()
    await expect.poll(async () => (await saved()).status_category).toBe('completed')
    // A read that was refused just before the announcement makes the tab ask whose session this is.
    const [firstRequest] = requests.filter((request) => request !== 'GET /internal/boot')
    assert.equal(
      firstRequest,
      'PATCH /internal/session',
      'it spoke in the session of another workspace',
    )
    await expect(second.getByText('You switched to Test')).toBeVisible()
    await first.getByRole('link', { name: 'Done', exact: true }).click()
    await expect(first.getByText('Of the first, renamed')).toBeVisible()
  },
)

browserTest(
  'a tab that misses the announcement of a switch shows and writes nothing in the other workspace',
  async (fixture) => {
    const { as, team, docket } = fixture
    const other = await joinSecondWorkspace(docket, team.people.member.id)
    const first = await as('member')
    await first.addInitScript(() => {
      window.BroadcastChannel = class extends BroadcastChannel {
        constructor(name: string) {
          super(name === 'docket-session' ? 'another channel' : name)
        }
      }
    })
    const { row, saved } = await openMyWork(fixture, 'Of the first', first)
    const second = await first.context().newPage()
    await second.goto(`/w/${other.workspace}/my`)
    await expect(second.getByText('Tasks belong to a project. Create one to begin.')).toBeVisible()
    await row.getByRole('button', { name: /Complete or reopen/ }).click()
    // It learns of it by the refusal of a request, or by boot data that it reads again at that moment.
    await expect(first.getByText('You switched to The other')).toBeVisible()
    await first.getByRole('button', { name: 'Switch back' }).click()
    await expect.poll(async () => (await saved()).status_category).toBe('completed')

    await second.goto(`/w/${other.workspace}/my`)
    await expect(second.getByText('Tasks belong to a project. Create one to begin.')).toBeVisible()
    await first.getByRole('link', { name: 'Done', exact: true }).click()
    await expect(first.getByText('You switched to The other')).toBeVisible()
    await expect(first.getByText(/^No tasks/)).toHaveCount(0)
    await first.getByRole('button', { name: 'Switch back' }).click()
    await expect(row).toBeVisible()

    // The menu loads the page anew in the other workspace; an unknown one is refused.
    await first.getByRole('button', { name: /Switch workspace/ }).click()
    await first.getByRole('menuitemcheckbox', { name: 'The other' }).click()
    await first.waitForURL(`**/w/${other.workspace}/my`)
    await expect(first.getByText('Tasks belong to a project. Create one to begin.')).toBeVisible()
    fixture.allow(404, /no longer have access to it/)
    await first.goto(`/w/wsp_${'0'.repeat(26)}/my`)
    await expect(
      first.getByRole('heading', { name: 'This page could not be loaded' }),
    ).toBeVisible()
  },
)

/** Records like `recordRequests`, but only what was answered in a session. */
function recordAnswers(page: Page): string[] {
  const answers: string[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    // The sign-in form reads what the server offers, which needs no session.
    if (pathname === '/internal/setup' || response.status() === 401) return
    if (/^\/(api|internal)\//.test(pathname))
      answers.push(`${response.request().method()} ${pathname}`)
  })
  return answers
}

browserTest("holds a person's unsent change while another person is signed in", async (fixture) => {
  const { team, allow, ask } = fixture
  const { page, row, path, saved } = await openMyWork(fixture, 'Mine')
  // The page reloads its counts within ten seconds, when another person is signed in.
  await ask('owner', `PATCH ${path}`, { title: 'Mine, renamed' })
  await expect(row).toContainText('Mine, renamed')
  const continueReads = await holdReads(page)
  await page.context().clearCookies()
  allow(401)
  await row.getByRole('button', { name: /Complete or reopen/ }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  continueReads()

  const { version } = await saved()
  // A read that was held may be sent only now, without any session.
  const answers = recordAnswers(page)
  const second = await page.context().newPage()
  await signInByForm(second, team.people.owner)
  await expect(page.getByText('The owner signed in from another tab')).toBeAttached()
  // The new person's tab has a connection of its own: the other one belongs to the member.
  const assignee_ids = [team.people.owner.id]
  await ask('owner', 'POST /api/v1/tasks', { project_id: team.project, title: 'New', assignee_ids })
  await expect(second.locator('[data-task]').filter({ hasText: 'New' })).toBeVisible()
  await page.clock.runFor(10_000)

  // When the same person signs in again, the write is sent once in their name.
  const password = page.getByRole('dialog').getByLabel('Password', { exact: true })
  await password.fill(team.people.member.password)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect.poll(async () => (await saved()).completed_by_id).toBe(team.people.member.id)
  assert.equal((await saved()).version, version + 1)
  assert.equal(answers[0], 'POST /internal/session', 'it spoke in the session of another person')
  await expect(second.getByText('The member signed in from another tab')).toBeVisible()
  // The tab signs out no other person than its own.
  const refusal = second.waitForResponse((reply) => reply.request().method() === 'DELETE')
  await second.keyboard.press('ControlOrMeta+k')
  await typeInFocusedField(second, 'sign out')
  await second.keyboard.press('Enter')
  assert.equal((await refusal).status(), 409)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Account of The member' })).toBeVisible()
})

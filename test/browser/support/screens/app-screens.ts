import type { Page } from '@playwright/test'
import type { BrowserFixture } from '../browser-test.ts'
import { createAppGrant, createThirdPartyApp } from '../oauth/third-party-app.ts'
import { seedTasks } from '../seed.ts'

/** A screen and how to reach it. */
export interface ScreenRoute {
  path: string
  signedIn?: boolean
  /** Opens a menu or a dialog after the page has loaded. */
  prepare?: (page: Page) => Promise<unknown>
}

/** The labels of the buttons that are pressed on the way, in the language of the page. */
export interface ButtonLabels {
  create: string
  rotate: string
}

/** Creates sample data and returns every screen of the app by a short name. */
export async function prepareScreens(
  fixture: BrowserFixture,
  { create, rotate }: ButtonLabels,
  tasks = 60,
): Promise<Record<string, ScreenRoute>> {
  const { ask, team } = fixture
  const tag = { name: 'infra', color: '#0a7f5a' }
  const { id } = await ask<{ id: string }>(
    'owner',
    `POST /api/v1/projects/${team.project}/tags`,
    tag,
  )
  const [first, second, third] = await seedTasks({ ask, team }, tasks)
  if (!first || !second || !third) throw new Error('There are no tasks to look at')
  await ask('owner', `PATCH /api/v1/tasks/${first.id}`, { tag_ids: [id] })
  await ask('owner', `PATCH /api/v1/tasks/${second.id}`, { parent_id: first.id })
  await ask('owner', `PATCH /api/v1/tasks/${third.id}`, { parent_id: first.id })
  const comments = `POST /api/v1/tasks/${first.id}/comments`
  await ask('member', comments, { body: 'One line.\n\n'.repeat(30) })
  const linked = await ask<{ id: string }>('member', comments, { body: 'Seen **twice** today.' })
  const deleted = await seedTasks({ ask, team }, 1)
  await ask('member', `DELETE /api/v1/tasks/${deleted[0]?.id}`)
  const comment = await ask<{ id: string }>('member', comments, { body: 'Not **that**.' })
  await ask('owner', `DELETE /api/v1/comments/${comment.id}`)
  await ask('owner', `POST /api/v1/tasks/${first.id}/time-entries`, { duration_seconds: 5_400 })
  const app = await createThirdPartyApp(fixture, {
    description: 'Writes what the team did yesterday into one note.',
    homepage_url: 'https://notes.northlight.example',
    type: 'confidential',
  })
  await createAppGrant(fixture, 'owner', app.id)
  await createAppGrant(fixture, 'member', app.id)
  const inside = `/w/${team.workspace}`
  const pressKey = (keys: string) => (page: Page) => page.keyboard.press(keys)
  return {
    start: { path: '/', signedIn: false },
    docs: { path: '/docs', signedIn: false },
    'sign-in': { path: '/sign-in', signedIn: false },
    'sign-up': { path: '/sign-up', signedIn: false },
    forgot: { path: '/forgot', signedIn: false },
    reset: { path: '/reset/unknown', signedIn: false },
    'confirm-email': { path: '/confirm-email/unknown', signedIn: false },
    invite: { path: '/invite/unknown', signedIn: false },
    nowhere: { path: '/nowhere', signedIn: false },
    // Neighbours differ in their path, so that `checkScreens` needs to load few pages anew.
    my: { path: `${inside}/my` },
    list: { path: `${inside}/p/ENG` },
    inbox: { path: `${inside}/inbox` },
    trash: { path: `${inside}/trash` },
    'list-by-priority': { path: `${inside}/p/ENG?group=priority` },
    reports: { path: `${inside}/reports` },
    board: { path: `${inside}/p/ENG?view=board` },
    'all-tasks': { path: `${inside}/all?group=project` },
    timeline: { path: `${inside}/p/ENG?view=timeline` },
    search: { path: `${inside}/all?f=customer` },
    projects: { path: `${inside}/projects` },
    calendar: { path: `${inside}/p/ENG?view=calendar` },
    'project-settings': { path: `${inside}/p/ENG/settings` },
    'task-beside': {
      path: `${inside}/p/ENG?task=${first.short_id}`,
      prepare: (page) => page.locator('.task-head button.no').waitFor(),
    },
    // As a notification opens it.
    task: { path: `${inside}/t/${first.short_id}#${linked.id}` },
    agents: { path: `${inside}/settings/agents` },
    profile: { path: `${inside}/settings/profile` },
    'task-unknown': { path: `${inside}/t/ENG-9999` },
    keys: { path: `${inside}/settings/api` },
    applications: { path: `${inside}/settings/applications` },
    webhooks: { path: `${inside}/settings/webhooks` },
    'application-secret': {
      path: `${inside}/settings/applications`,
      prepare: async (page) => {
        await page.getByRole('button', { name: rotate }).click()
        await page.getByRole('dialog').getByRole('button', { name: rotate }).click()
      },
    },
    members: { path: `${inside}/settings/members` },
    workspace: { path: `${inside}/settings/workspace` },
    import: { path: `${inside}/settings/import` },
    usage: { path: `${inside}/settings/usage` },
    audit: { path: `${inside}/settings/audit` },
    'application-new': {
      path: `${inside}/settings/applications`,
      prepare: (page) => page.getByRole('button', { name: create }).first().click(),
    },
    consent: { path: app.authorizeUrl() },
    shortcuts: { path: `${inside}/my`, prepare: pressKey('?') },
    'consent-ended': { path: '/oauth/consent/unknown' },
    palette: { path: `${inside}/my`, prepare: pressKey('ControlOrMeta+k') },
  }
}

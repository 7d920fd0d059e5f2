import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../../browser/support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../../browser/support/browser-test.ts'
import { expect } from '../../browser/support/expect.ts'
import { CONNECTION_ERRORS, openList } from '../../browser/support/open-list.ts'
import { openScreen } from '../../browser/support/open-screen.ts'
import { loseNextReply, routeRequests } from '../../browser/support/route-requests.ts'
import { seedTasks } from '../../browser/support/seed.ts'

const item = (page: Page, name: string | RegExp) =>
  page.locator('[role^="menuitem"]').filter({ hasText: name })
const views = (page: Page) => page.getByRole('button', { name: /^Saved views/ })

/** Saves the current list as a view. */
async function saveView(page: Page, name: string): Promise<void> {
  await expect(page.locator('[data-number]').first()).toBeVisible()
  // The key belongs to this button, whose code is loaded after the rows.
  await expect(views(page)).toBeVisible()
  await page.keyboard.press('Shift+V')
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByLabel('Name').fill(name)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/saved=viw_/)
  await expect(views(page)).toHaveText(name)
}

browserTest(
  'does not list a view that was deleted before its lost reply was repeated',
  async (fixture) => {
    const { as, team, allow, docket } = fixture
    await seedTasks(fixture, 1)
    allow(CONNECTION_ERRORS)
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await saveView(page, 'All')
    /** The next reply with the views of the project that does or does not have a name. */
    const readViews = async (name: string, isThere: boolean) => {
      const response = await page.waitForResponse(
        async (one) =>
          /projects.*views$/.test(one.url()) && (await one.text()).includes(name) === isThere,
      )
      return (await response.json()) as { data: { id: string; name: string }[] }
    }
    const created = readViews('Short-lived', true)
    await loseNextReply(page, '**/internal/views')
    await page.keyboard.press('Shift+V')
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByLabel('Name').fill('Short-lived')
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('alert')).toBeVisible()
    const view = (await created).data.find(({ name }) => name === 'Short-lived')
    const deleted = readViews('Short-lived', false)
    const headers = { origin: docket.url }
    await page.request.delete(`/internal/views/${view?.id}`, { headers })
    await deleted
    await dialog.getByRole('button', { name: 'Save view' }).click()
    await expect(dialog).toBeHidden()
    await views(page).click()
    await expect(item(page, 'All')).toBeVisible()
    await expect(item(page, 'Short-lived')).toHaveCount(0)
  },
)

browserTest('a reply from before a view was pinned leaves it pinned', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 1)
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(page.getByText('Live')).toBeVisible()
  await saveView(page, 'All of it')
  const [asked, saved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await routeRequests(page, '**/internal/boot', async (route) => {
    const response = await route.fetch()
    asked.resolve()
    await saved.promise
    await route.fulfill({ response })
  })
  const other = await as('owner')
  await other.goto(`/w/${team.workspace}/projects`)
  await other.evaluate(() => {
    const body = JSON.stringify({ name: 'Newer', prefix: 'NEW' })
    return fetch('/internal/projects', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
  })
  await asked.promise
  const pins = page.waitForResponse(/\/internal\/views\/pins/)
  await views(page).click()
  await item(page, 'Pin to sidebar').click()
  await pins
  saved.resolve()
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await expect(navigation.getByRole('link', { name: /Newer/ })).toBeVisible()
  // At once: a later reply would bring the pin back.
  assert.ok(await navigation.getByRole('link', { name: /All of it/ }).isVisible())
})

/** Opens the tags of a task, and asks to create one; the request waits. */
async function createTagInPicker(fixture: BrowserFixture) {
  const tags = `/api/v1/projects/${fixture.team.project}/tags`
  await fixture.ask('owner', `POST ${tags}`, { name: 'infra' })
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'First' }))
  assert.ok(task)
  const page = await openList(fixture, 'First')
  const creation = Promise.withResolvers<'continue' | 'abort'>()
  await routeRequests(page, `**${tags}`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    return (await creation.promise) === 'abort' ? route.abort() : route.continue()
  })
  await page.getByRole('row', { name: /First/ }).press('l')
  const field = page.locator('[data-overlay] input')
  await field.fill('fresh')
  const isSent = page.waitForRequest((request) => request.method() === 'POST')
  await page.getByRole('option', { name: 'Create tag “fresh”' }).click()
  await isSent
  const readTags = async () => {
    const { data } = await fixture.ask<{ data: { id: string; name: string }[] }>(
      'owner',
      `GET ${tags}`,
    )
    const { tag_ids } = await fixture.ask<{ tag_ids: string[] }>(
      'owner',
      `GET /api/v1/tasks/${task.id}`,
    )
    return data
      .filter(({ id }) => tag_ids.includes(id))
      .map(({ name }) => name)
      .toSorted()
  }
  return { page, field, creation, readTags }
}

browserTest('keeps what is ticked and typed while a new tag is created', async (fixture) => {
  const { page, field, creation, readTags } = await createTagInPicker(fixture)
  await field.fill('inf')
  await page.getByRole('option', { name: 'infra' }).click()
  creation.resolve('continue')
  await field.fill('fr')
  await expect(page.getByRole('option', { name: 'fresh', exact: true })).toBeVisible()
  await expect(field).toHaveValue('fr')
  await field.press('Escape')
  await expect.poll(readTags).toEqual(['fresh', 'infra'])
})

browserTest('says that a new tag was not created after the picker was closed', async (fixture) => {
  fixture.allow(CONNECTION_ERRORS)
  const { page, field, creation } = await createTagInPicker(fixture)
  await field.press('Escape')
  await expect(field).toBeHidden()
  creation.resolve('abort')
  await expect(page.getByText('Create tag “fresh” failed')).toBeVisible()
})

const listTasks = async ({ ask, team }: Pick<BrowserFixture, 'ask' | 'team'>) =>
  (
    await ask<{ data: { id: string; parent_id: string | null }[] }>(
      'owner',
      `GET /api/v1/projects/${team.project}/tasks?limit=200`,
    )
  ).data

/** Opens the page of a task with two subtasks. */
async function openTaskWithSubtasks(fixture: BrowserFixture): Promise<Page> {
  const { as, ask, team } = fixture
  const more = { start_date: '2026-03-01', due_date: '2026-03-04', status: 'in_progress' }
  const [top] = await seedTasks(fixture, 1, () => ({ title: 'Release', ...more }))
  assert.ok(top)
  for (const title of ['Build', 'Announce']) {
    await ask('owner', 'POST /api/v1/tasks', {
      project_id: team.project,
      title,
      parent_id: top.id,
    })
  }
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${top.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'Release' }).waitFor()
  return page
}

browserTest('merges the changes of two people who edit a template at once', async (fixture) => {
  const { team, docket, allow } = fixture
  allow(412)
  const page = await openTaskWithSubtasks(fixture)
  const [top] = (await listTasks(fixture)).filter(({ parent_id }) => parent_id === null)
  const headers = { origin: docket.url }
  const templates = `${docket.url}/internal/templates`
  const created = await page.request.post(templates, {
    headers,
    data: { task_id: top?.id, name: 'Our release' },
  })
  const { id } = await created.json()
  const changeElsewhere = async (data: object) => {
    assert.equal((await page.request.patch(`${templates}/${id}`, { headers, data })).status(), 200)
  }
  await openScreen(page, `/w/${team.workspace}/p/ENG/settings?tab=templates`)
  const edit = page.getByRole('dialog', { name: 'Edit template' })
  const titles = edit.getByRole('textbox', { name: 'Title' })
  const openEditor = async () => {
    await page.getByRole('button', { name: 'Edit Our release' }).click()
    await edit.waitFor()
  }
  await openEditor()
  await changeElsewhere({ tasks: [{ from: 0 }, { from: 1, title: 'Compile' }, { from: 2 }] })
  await edit.getByLabel('Due after (days)').nth(2).fill('5')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit.getByRole('alert')).toContainText('Someone else changed this template')
  await expect(titles.nth(1)).toHaveValue('Compile')
  await expect(edit.getByLabel('Due after (days)').nth(2)).toHaveValue('5')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit).toBeHidden()

  // The other person removes the task above the one that is being renamed.
  await openEditor()
  await titles.nth(2).fill('Tell everybody')
  await changeElsewhere({ tasks: [{ from: 0 }, { from: 2 }] })
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(titles).toHaveCount(2)
  await expect(titles.nth(1)).toHaveValue('Tell everybody')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit).toBeHidden()
  const { tasks } = await (await page.request.get(`${templates}/${id}`)).json()
  assert.deepEqual(
    tasks.map((task: { title: string; due_in_days: number | null }) => [
      task.title,
      task.due_in_days,
    ]),
    [
      ['Release', 3],
      ['Tell everybody', 5],
    ],
  )
})

browserTest('a reply from before a start or a stop does not undo it', async (fixture) => {
  const { as, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1)
  assert.ok(task)
  const page = await as('member')
  const initial = page.waitForResponse('**/internal/timer')
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await initial
  const [start, stop] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const entries = `/api/v1/tasks/${task.id}/time-entries`
  await routeRequests(page, `**${entries}`, async (route) => {
    if (route.request().method() === 'POST') await start.promise
    await route.fallback()
  })
  await routeRequests(page, '**/api/v1/time-entries/*', async (route) => {
    await stop.promise
    await route.fallback()
  })
  const button = (name: string) => page.locator('.task-head').getByRole('button', { name })
  /** Waits until a reply says whether a timer is running, and the page shows it. */
  const waitForReply = async (isRunning: boolean) => {
    await page.waitForResponse(
      async (response) =>
        response.url().endsWith('/internal/timer') &&
        ((await response.json()).entry !== null) === isRunning,
    )
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
  }

  await button('Start timer').click()
  const beforeStart = waitForReply(false)
  // The page reads the timer again, because the person has logged time elsewhere.
  await ask('member', `POST ${entries}`, { duration_seconds: 60 })
  await beforeStart
  assert.ok(await button('Stop timer').isVisible())

  await button('Stop timer').click()
  const beforeStop = waitForReply(true)
  start.resolve()
  await beforeStop
  assert.ok(await button('Start timer').isVisible())

  const stopped = page.waitForResponse('**/api/v1/time-entries/*')
  stop.resolve()
  assert.equal((await stopped).status(), 200)
  await expect(button('Start timer')).toBeVisible()
})

browserTest('settings that are open in two places do not revert each other', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(412)
  const read = () =>
    ask<{ name: string; description: string; lead_id: string | null }>(
      'owner',
      `GET /api/v1/projects/${team.project}`,
    )
  const [owner, admin] = [await as('owner'), await as('admin')]
  for (const page of [owner, admin]) {
    await page.goto(`/w/${team.workspace}/p/ENG/settings`)
    await page.getByLabel('Name').fill('Work')
    await page.getByLabel('Name').fill('Engineering')
  }
  await admin.getByLabel('Name').fill('Platform')
  await admin.getByLabel('Lead').selectOption({ label: 'The member' })
  await admin.getByRole('button', { name: 'Save' }).click()
  await expect(admin.getByText('Saved', { exact: true })).toBeVisible()
  // The owner's page has heard of the new name.
  await expect(owner.getByRole('heading', { level: 1, name: /^Platform/ })).toBeVisible()
  await owner.getByLabel('Description').fill('All of it')
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect(owner.getByText('Saved', { exact: true })).toBeVisible()
  const { name, description, lead_id } = await read()
  assert.deepEqual([name, description, lead_id], ['Platform', 'All of it', team.people.member.id])
  await expect(owner.getByLabel('Name')).toHaveValue('Platform')

  // The page cannot have heard of a rename that happens while its own is on its way.
  await routeRequests(
    owner,
    `**/internal/projects/${team.project}`,
    async (route) => {
      await admin.getByLabel('Name').fill('Base')
      await admin.getByRole('button', { name: 'Save' }).click()
      await expect.poll(async () => (await read()).name).toBe('Base')
      await route.continue()
    },
    { times: 1 },
  )
  await owner.getByLabel('Name').fill('Core')
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect(owner.getByText(/^Someone else changed this in the meantime/)).toBeVisible()
  await expect(owner.getByLabel('Name')).toHaveValue('Core')
  assert.equal((await read()).name, 'Base')
  await assertAccessible(owner)
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await read()).name).toBe('Core')
})

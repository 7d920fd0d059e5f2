import assert from 'node:assert/strict'
import type { Page, Route } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo } from '../support/keyboard/press-undo.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { openScreen } from '../support/open-screen.ts'
import { loseNextReply, routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

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

browserTest('a changed view can be reset or updated', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 6, (n) => ({
    title: `Task ${n + 1}`,
    status: n < 4 ? 'todo' : 'done',
    ...(n < 2 && { priority: 'high' }),
  }))
  const page = await as('member')
  const rows = page.locator('[data-number]')
  await page.goto(`/w/${team.workspace}/p/ENG?f=status%3Aopen&group=priority`)
  await expect(rows).toHaveCount(4)

  await saveView(page, 'Open by priority')
  const address = page.url()

  // Another filter does not change the saved view until Update is pressed.
  await page.goto(`${address.replace('status%3Aopen', 'priority%3Ahigh')}`)
  await expect(rows).toHaveCount(2)
  await page.getByRole('button', { name: 'Reset to “Open by priority”' }).click()
  await expect(rows).toHaveCount(4)
  await expect(page.getByRole('button', { name: 'Update' })).toHaveCount(0)
  await page.keyboard.press('2')
  await page.getByRole('button', { name: /^Update “Open by priority”/ }).click()
  await expect(page.getByText('Updated “Open by priority”').first()).toBeVisible()
  await page.reload()
  await expect(page.locator('.board')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Update/ })).toHaveCount(0)
})

browserTest('a view whose update got no reply is no conflict with itself', async (fixture) => {
  const { as, team, allow } = fixture
  await seedTasks(fixture, 1)
  allow(CONNECTION_ERRORS)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await saveView(page, 'Mine')
  await loseNextReply(page, /\/internal\/views\/viw_/, 'PATCH')
  const repeated = page.waitForResponse(/\/internal\/views\/viw_/)
  await page.keyboard.press('2')
  await page.getByRole('button', { name: /^Update “Mine”/ }).click()
  assert.equal((await repeated).status(), 200)
})

browserTest('saves a view once when its first reply was lost', async (fixture) => {
  const { as, team, allow } = fixture
  await seedTasks(fixture, 1)
  allow(CONNECTION_ERRORS)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?group=priority`)
  await expect(page.locator('[data-number]').first()).toBeVisible()
  await expect(views(page)).toBeVisible()
  const isLost = async (route: Route) => {
    await route.fetch()
    await route.abort('connectionreset')
  }
  await routeRequests(page, '**/internal/views', isLost, { times: 1 })
  await page.keyboard.press('Shift+V')
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByLabel('Name').fill('By priority')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByRole('button', { name: 'Save view' }).click()
  await expect(page).toHaveURL(/saved=viw_/)
  await page.reload()
  await views(page).click()
  await expect(item(page, 'By priority')).toHaveCount(1)
})

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

browserTest('a shared view shows the same tasks to other users', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: n < 2 ? 'todo' : 'done' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?view=board&f=status%3Aopen`)
  await saveView(page, 'Open by priority')
  await views(page).click()
  const shared = page.waitForResponse(/\/internal\/views\/viw_/)
  await item(page, 'Share with the project').click()
  await shared
  const other = await as('admin')
  await other.goto(`/w/${team.workspace}/p/ENG`)
  await views(other).click()
  await item(other, 'Open by priority').click()
  await expect(other.locator('.board')).toBeVisible()
  await expect(other.locator('.card[data-number]')).toHaveCount(2)
  await expect(other).toHaveURL((url) => url.search === new URL(page.url()).search)
})

browserTest(
  'a pinned view that was deleted is restored by Undo, and the palette opens it',
  async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 1, () => ({ title: 'Task', status: 'todo' }))
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/ENG?view=board&f=status%3Aopen`)
    await saveView(page, 'Open by priority')
    await views(page).click()
    await item(page, 'Pin to sidebar').click()
    const pinned = page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Open by priority/ })
    await expect(pinned).toBeVisible()
    await views(page).click()
    await item(page, 'Delete').click()
    await page.getByRole('button', { name: /^Undo/ }).last().click()
    await openScreen(page, `/w/${team.workspace}/my`)
    await expect(page.getByRole('heading', { name: 'My work' })).toBeVisible()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('open by prio')
    await page.getByRole('option', { name: /Open by priority/ }).click()
    await expect(page.locator('.card[data-number]')).toHaveCount(1)
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

browserTest(
  'undoing a change of a view keeps what somebody else has changed since',
  async (fixture) => {
    const { as, team, docket } = fixture
    await seedTasks(fixture, 1)
    const page = await as('owner')
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await saveView(page, 'Mine')
    await expect(page.getByText('Live')).toBeVisible()
    const id = new URL(page.url()).searchParams.get('saved')
    await page.goto(`${page.url()}&f=status%3Aopen&group=priority`)
    const sent = page.waitForResponse(`**/internal/views/${id}`)
    await page.getByRole('button', { name: /^Update “Mine”/ }).click()
    await sent
    await holdUndo(page)
    const headers = { origin: docket.url }
    const change = { headers, data: { group: 'assignee', name: 'Ours' } }
    assert.equal((await page.request.patch(`/internal/views/${id}`, change)).status(), 200)
    await expect(views(page)).toHaveText('Ours')
    const undone = page.waitForResponse(`**/internal/views/${id}`)
    await page.getByRole('button', { name: /^Undo/ }).click()
    await expect(page.getByText('Someone else has changed “Ours”')).toBeVisible()
    const view = await (await undone).json()
    assert.deepEqual([view.name, view.group, view.f], ['Ours', 'assignee', ''])
  },
)

browserTest('a guest cannot update or share a view, with the reason shown', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 1)
  const owner = await as('owner')
  await owner.goto(`/w/${team.workspace}/p/ENG?f=status%3Aopen`)
  await views(owner).click()
  await item(owner, 'Save as view').click()
  await owner.getByLabel('Name').fill('Ours')
  await owner.getByLabel(/Share with the project/).check()
  await owner.keyboard.press('Enter')
  await expect(views(owner)).toHaveText('Ours')
  const page = await as('guest')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await views(page).click()
  await item(page, 'Ours').click()
  await expect(views(page)).toHaveText('Ours')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await page.keyboard.press('2')
  const update = page.getByRole('button', { name: /^Update “Ours”/ })
  await expect(update).toHaveAttribute('aria-disabled', 'true')
  await expect(update).toHaveAttribute('aria-describedby', /.+/)
  await page.keyboard.press('Shift+V')
  await expect(page.getByLabel(/Share with the project/)).toBeDisabled()
  await expect(page.getByText('Guests cannot share views.')).toBeVisible()
  await assertAccessible(page, { within: OPEN_DIALOG })
})

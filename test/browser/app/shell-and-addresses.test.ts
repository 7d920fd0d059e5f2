import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { openScreen, pressSequence, typeInFocusedField } from '../support/page-actions.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

async function openMyWork({ openAs }: BrowserFixture): Promise<Page> {
  const page = await openAs('member', 'my')
  await expect(pageHeading(page)).toHaveText('My work')
  return page
}

browserTest('the keyboard reaches the content and each screen', async (fixture) => {
  const page = await openMyWork(fixture)
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to content' })
  await expect(skip).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/#work$/)
  for (const [keys, address] of [
    ['gp', '/projects'],
    ['gs', '/settings/profile'],
    ['ga', '/all'],
    ['gm', '/my'],
  ] as const) {
    await pressSequence(page, keys)
    await page.waitForURL(`**${address}`)
    await expect(pageHeading(page)).toBeVisible()
  }
  await pressSequence(page, 'gw')
  const field = page.getByRole('combobox', { name: 'Search or run a command' })
  await expect(field).toHaveValue('Switch to ')
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()

  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const [keys, label] of [
    ['G P', 'Go to projects'],
    ['Ctrl K', 'Search or run a command'],
    ['Ctrl Z', 'Undo'],
  ] as const) {
    const line = sheet.locator('dl > div').filter({ hasText: label }).filter({ hasText: keys })
    await expect(line.first()).toBeVisible()
  }
  await sheet.getByRole('checkbox').uncheck()
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  for (const key of ['g', 'p', '?', 'c']) await page.keyboard.press(key)
  await expect(page).toHaveURL(/\/my(#work)?$/)
  await expect(sheet).toBeHidden()
  // Had one of the letters opened something, the focus would be there instead.
  await page.keyboard.press('Control+k')
  await expect(field).toBeFocused()
})

browserTest('an address shows its screen, also after a reload', async (fixture) => {
  const { as, team, docket, allow } = fixture
  allow(404)
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'Case one' }))
  const page = await as('owner')
  const inside = `/w/${team.workspace}`
  await page.goto('/t/eng-1')
  await page.waitForURL(`**${inside}/t/*`)
  await expect(pageHeading(page)).toContainText('Case one')
  for (const [address, heading] of [
    [`${inside}/my`, 'My work'],
    [`${inside}/t/ENG-1`, 'Case one'],
    [`${inside}/settings/webhooks`, ''],
  ] as const) {
    await openScreen(page, address)
    await expect(pageHeading(page)).toContainText(heading)
    await page.reload()
    await expect(pageHeading(page)).toContainText(heading)
    assert.equal(page.url().endsWith(address), true, page.url())
  }
  await page.goto(`${inside}/nowhere`)
  await expect(pageHeading(page)).toHaveText('Page not found')
  await page.goto('/nowhere')
  await expect(pageHeading(page)).toHaveText('Page not found')
  await page.getByRole('link', { name: 'Go to My work' }).click()
  await page.waitForURL(`**${inside}/my`)

  // A former id of a task leads to the present one without a step back.
  const renamed = await page.request.patch(`/internal/projects/${team.project}`, {
    data: { prefix: 'DEV' },
    headers: { origin: docket.url },
  })
  assert.equal(renamed.status(), 200)
  await page.goto(`${inside}/inbox`)
  await expect(pageHeading(page)).toHaveText('Inbox')
  await page.goto(`${inside}/t/${task?.short_id}`)
  await expect(page).toHaveURL(/\/t\/DEV-1$/)
  await page.goBack()
  await expect(page).toHaveURL(/\/inbox$/)
  // The start page leads who is signed in to their work.
  await page.goto('/')
  await page.waitForURL(`**${inside}/my`)
})

browserTest('an owner creates another workspace in the app', async (fixture) => {
  const page = await fixture.openAs('owner', 'my')
  await page.getByRole('button', { name: /Switch workspace/ }).click()
  await page.getByRole('menuitem', { name: 'New workspace …' }).click()
  const dialog = page.getByRole('dialog', { name: 'New workspace' })
  await expect(dialog.getByLabel('Workspace name')).toBeFocused()
  await page.keyboard.type('Second home')
  await assertAccessible(page, { within: OPEN_DIALOG })
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Second home. Switch workspace' })).toBeVisible()
  assert.notEqual(new URL(page.url()).pathname.split('/')[2], fixture.team.workspace)

  await expect(page.getByRole('link', { name: 'Invite people' })).toBeVisible()
  await page.getByRole('button', { name: 'New project' }).click()
  await expect(page.getByRole('dialog', { name: 'New project' })).toBeVisible()
  await page.keyboard.press('Escape')
  // Without a project, a new task begins with one.
  await page.keyboard.press('c')
  await typeInFocusedField(page, 'Garden')
  await page.keyboard.press('Enter')
  const newTask = page.getByRole('dialog', { name: 'New task' })
  await expect(newTask.getByLabel('Project')).toHaveText('Garden')
  await expect(newTask.getByLabel('Title')).toBeFocused()
})

browserTest('applies the theme before the first paint', async ({ openAs }) => {
  const page = await openAs('member', 'my', { colorScheme: 'light' })
  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Dark theme' }).click()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.context().addInitScript(() => {
    const seen: (string | undefined)[] = []
    Object.assign(window, { seen })
    new PerformanceObserver(() => seen.push(document.documentElement.dataset.theme)).observe({
      type: 'paint',
      buffered: true,
    })
    // The theme at the start of the body is the one of the first paint.
    new MutationObserver((_, observer) => {
      if (!document.body) return
      seen.push(document.documentElement.dataset.theme)
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })
  })
  await page.reload()
  await expect(pageHeading(page)).toHaveText('My work')
  const seen = await page.evaluate(() => Reflect.get(window, 'seen') as string[])
  assert.ok(seen.length > 0 && seen.every((theme) => theme === 'dark'), JSON.stringify(seen))
  await page.getByRole('button', { name: /Account of/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Light theme' })).toBeVisible()
})

browserTest('offers to reload for a newer version, never reloads by itself', async (fixture) => {
  const { openAs, allow } = fixture
  allow(404, /Failed to fetch dynamically imported module|Failed to load resource|newer version/)
  const page = await openAs('member', 'my')
  await expect(pageHeading(page)).toHaveText('My work')
  await page.evaluate(() => Object.assign(window, { same: true }))
  await routeRequests(page, '**/sign-in', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<script src="/app/assets/index-new.js">',
    }),
  )
  await routeRequests(page, '**/app/assets/reports-*.js', (route) =>
    route.fulfill({ status: 404, body: 'There is no such file.' }),
  )
  await page.getByRole('link', { name: 'Reports' }).click()
  await expect(pageHeading(page)).toHaveText('This page could not be loaded')
  await expect(page.getByText('A new version of Docket is available')).toBeVisible()
  assert.equal(await page.evaluate(() => Reflect.get(window, 'same')), true)
  // Navigation still works around the failed page.
  await page.getByRole('link', { name: 'My work', exact: true }).click()
  await expect(pageHeading(page)).toHaveText('My work')
  await page.unroute('**/sign-in')
  await page.unroute('**/app/assets/reports-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByText('A new version of Docket is available')).toBeHidden()
  await page.getByRole('link', { name: 'Reports' }).click()
  await expect(pageHeading(page)).toHaveText('Reports')
})

const pageHeading = (page: Page) => page.getByRole('heading', { level: 1 })

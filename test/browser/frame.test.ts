import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

browse('the frame goes everywhere by the keyboard', async (scene) => {
  const { as, team } = scene
  await seedTasks(scene, 2, (n) => ({ title: `Case ${n + 1}` }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await expect(title(page)).toHaveText('My work')

  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to the content' })
  await expect(skip).toBeFocused()
  await page.keyboard.press('Enter')
  assert.equal(new URL(page.url()).hash, '#work')

  for (const [keys, address] of [
    ['gp', '/projects'],
    ['gs', '/settings/profile'],
    ['gm', '/my'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key)
    await page.waitForURL(`**${address}`)
    await expect(title(page)).toBeVisible()
  }
  for (const key of 'gw') await page.keyboard.press(key)
  const field = page.getByRole('combobox', { name: 'Find or do' })
  await expect(field).toHaveValue('Switch to ')
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()

  // The sheet tells the keys of the screen, and switches single letters off: then they do nothing.
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(sheet.getByText('Go to projects')).toBeVisible()
  await accessible(page)
  await sheet.getByRole('checkbox').uncheck()
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  for (const key of ['g', 'p', '?', 'c']) await page.keyboard.press(key)
  await expect(page).toHaveURL(/\/my(#work)?$/)
  await expect(sheet).toBeHidden()
  await page.keyboard.press('Control+k')
  await expect(field).toBeFocused()
  await page.keyboard.press('Escape')
})

browse('each address is the same after a reload, and one that is none says so', async (scene) => {
  const { as, team, allow } = scene
  await seedTasks(scene, 1, () => ({ title: 'Case one' }))
  const page = await as('owner')
  const inside = `/w/${team.workspace}`
  await page.goto('/t/eng-1')
  await page.waitForURL(`**${inside}/t/*`)
  await expect(title(page)).toContainText('Case one')
  for (const [address, told] of Object.entries({
    [`${inside}/my`]: 'My work',
    [`${inside}/search?q=case`]: 'Search',
    [`${inside}/projects`]: 'Projects',
    [`${inside}/p/ENG`]: 'Engineering',
    [`${inside}/p/ENG?view=board`]: 'Engineering',
    [`${inside}/t/ENG-1`]: 'Case one',
    [`${inside}/settings/webhooks`]: '',
  })) {
    await page.goto(address)
    await expect(title(page)).toContainText(told)
    await page.reload()
    await expect(title(page)).toContainText(told)
    assert.equal(page.url().endsWith(address), true, page.url())
  }
  await page.goto(`${inside}/search?q=1`)
  await expect(page.getByRole('searchbox')).toHaveValue('1')

  // What is typed while an answer is on its way stays as it is typed.
  const words = page.getByRole('searchbox')
  await words.fill('')
  await words.pressSequentially('case ')
  await expect(page).toHaveURL(/q=case$/)
  await words.pressSequentially('one')
  await expect(page).toHaveURL(/q=case(\+|%20)one$/)
  await expect(words).toHaveValue('case one')

  await page.goto(`${inside}/nowhere`)
  await expect(title(page)).toHaveText('There is nothing at this address')
  allow(404)
  await page.goto('/nowhere')
  await expect(title(page)).toHaveText('There is nothing at this address')
  await page.getByRole('link', { name: 'To my work' }).click()
  await page.waitForURL(`**${inside}/my`)
})

browse('the theme is there before anything is painted', async ({ as, team }) => {
  const page = await as('member', { colorScheme: 'light' })
  await page.goto(`/w/${team.workspace}/my`)
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
    // What stands when the body begins is what is painted first.
    new MutationObserver((_, observer) => {
      if (!document.body) return
      seen.push(document.documentElement.dataset.theme)
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })
  })
  await page.reload()
  await expect(title(page)).toHaveText('My work')
  const seen = await page.evaluate(() => Reflect.get(window, 'seen') as string[])
  assert.ok(seen.length > 0 && seen.every((theme) => theme === 'dark'), JSON.stringify(seen))
  await page.getByRole('button', { name: /Account of/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Light theme' })).toBeVisible()
})

browse('a newer version is offered, and never loaded by itself', async (scene) => {
  const { as, team, allow } = scene
  allow(404, /Failed to fetch dynamically imported module|Failed to load resource|newer version/)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await expect(title(page)).toHaveText('My work')
  await page.evaluate(() => Object.assign(window, { same: true }))
  await page
    .context()
    .route('**/app/assets/reports-*.js', (route) =>
      route.fulfill({ status: 404, body: 'There is no such file.' }),
    )
  await page
    .context()
    .route('**/sign-in', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script src="/app/assets/index-new.js">' }),
    )
  await page.getByRole('link', { name: 'Reports' }).click()
  await expect(title(page)).toHaveText('This page cannot be shown')
  await expect(page.getByText('A new version of Docket is there')).toBeVisible()
  assert.equal(await page.evaluate(() => Reflect.get(window, 'same')), true)
  // The frame works on around it.
  await page.getByRole('link', { name: 'My work', exact: true }).click()
  await expect(title(page)).toHaveText('My work')
  await page.context().unrouteAll()
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByText('A new version of Docket is there')).toBeHidden()
  await page.getByRole('link', { name: 'Reports' }).click()
  await expect(title(page)).toHaveText('Reports')
})

const title = (page: Page) => page.getByRole('heading', { level: 1 })

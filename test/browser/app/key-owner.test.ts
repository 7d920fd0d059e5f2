import type { Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdShellDialogs } from '../support/reads/hold-reads.ts'
import { seedTasks } from '../support/seed.ts'
import { expectWritten } from '../support/written-text.ts'

const rowOf = (page: Page, number: number) => page.locator(`[data-number="${number}"]`)
const heading = (page: Page) => page.locator('.panel [data-heading]')
const paletteField = (page: Page) => page.getByRole('combobox', { name: 'Search or run a command' })

browserTest(
  'letters after Ctrl K are typed into the palette, however late it opens',
  async (fixture) => {
    const { as, ask, team } = fixture
    await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}` }))
    const page = await as('member')
    const loadCode = await holdShellDialogs(page)
    await page.goto(`/w/${team.workspace}/p/ENG`)
    await rowOf(page, 1).focus()
    await page.keyboard.press('Control+k')
    // As shortcuts, these would select, delete and rename tasks, and open pickers.
    await page.keyboard.type('x#es pai')
    await page.keyboard.press('Backspace')
    loadCode()
    await expect(paletteField(page)).toHaveValue('x#es pa')
    await page.keyboard.press('Escape')
    await expect(paletteField(page)).toHaveCount(0)
    await expect(page.locator('[aria-selected="true"]')).toHaveCount(0)

    // The code is there now, and the machine is slow.
    const client = await page.context().newCDPSession(page)
    await client.send('Emulation.setCPUThrottlingRate', { rate: 6 })
    await rowOf(page, 1).focus()
    const typed = 'sign out x # e'
    // Sent at once: no key waits until the page has handled the one before.
    const send = (key: string, modifiers = 0) => {
      const code = key === ' ' ? 'Space' : `Key${key.toUpperCase()}`
      const event = { key, code, modifiers, ...(modifiers === 0 && { text: key }) }
      return client.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event })
    }
    const CTRL = 2
    await Promise.all([send('k', CTRL), ...[...typed].map((key) => send(key))])
    await expect(paletteField(page)).toHaveValue(typed)
    await client.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    await page.keyboard.press('Escape')
    const { title } = await ask<{ title: string }>('owner', 'GET /api/v1/tasks/ENG-1')
    await expect(rowOf(page, 1)).toContainText(title)
  },
)

browserTest('Escape cancels a palette that has not opened yet', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 1)
  const page = await as('member')
  const loadCode = await holdShellDialogs(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await rowOf(page, 1).focus()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('so')
  await page.keyboard.press('Escape')
  loadCode()
  await page.keyboard.press('x')
  await expect(rowOf(page, 1)).toHaveAttribute('aria-selected', 'true')
  await expect(paletteField(page)).toHaveCount(0)
})

browserTest('J beside an open task keeps its row in sight', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 60, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?f=status:todo&task=ENG-40`)
  // One by one, as a person reads: the router stores the place of each address a moment later.
  for (let number = 40; number < 50; number += 1) {
    await expect(heading(page)).toContainText(`Task ${number}`)
    await expect(rowOf(page, number)).toBeInViewport({ ratio: 1 })
    await page.waitForTimeout(150)
    await page.keyboard.press('j')
  }
})

browserTest('J and K page through the list and the panel together', async (fixture) => {
  const { as, ask, team } = fixture
  await seedTasks(fixture, 4, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?f=status:todo`)
  const current = page.locator('[role="row"][aria-current]')
  const open = async (number: number) => {
    await expect(heading(page)).toContainText(`Task ${number}`)
    await expect(current).toHaveAttribute('data-number', `${number}`)
    await expect(current).toHaveCount(1)
  }
  // From the list, the panel follows the row.
  await rowOf(page, 1).locator('a.title').click()
  await open(1)
  await page.keyboard.press('j')
  await open(2)
  await expect(rowOf(page, 2)).toBeFocused()

  // From the panel, the row follows the task, and keys are for it.
  await page.keyboard.press('Enter')
  await expect(heading(page)).toBeFocused()
  await page.keyboard.press('j')
  await open(3)
  await expect(heading(page)).toBeFocused()
  await page.keyboard.press('p')
  await page.keyboard.type('urg')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 3).getByRole('img', { name: 'Urgent' })).toBeVisible()
  await heading(page).focus()
  await page.keyboard.press('k')
  await open(2)

  // A field keeps its letters.
  await page.keyboard.press('m')
  await page.keyboard.type('jk#')
  const comment = page.getByRole('textbox', { name: 'Comment' })
  await expect(comment).toBeFocused()
  await expectWritten(comment, 'jk#')
  await open(2)

  // A task that leaves the view stays open, and J goes on from its place.
  await heading(page).focus()
  await page.keyboard.press('Control+Enter')
  await expect(rowOf(page, 2)).toHaveCount(0)
  await expect(heading(page)).toContainText('Task 2')
  await page.keyboard.press('j')
  await open(3)
  expect((await ask<{ status: string }>('owner', 'GET /api/v1/tasks/ENG-3')).status).toBe('todo')
})

browserTest('in My work the panel follows the focused row, and marks it', async (fixture) => {
  const { as, team } = fixture
  const assignee_ids = [team.people.member.id]
  await seedTasks(fixture, 3, (n) => ({ title: `Errand ${n + 1}`, assignee_ids }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  const titles = page.locator('main a.title')
  await titles.first().click()
  await expect(heading(page)).toContainText((await titles.first().textContent()) ?? '')
  await page.keyboard.press('j')
  const second = titles.nth(1)
  await expect(second).toBeFocused()
  await expect(heading(page)).toContainText((await second.textContent()) ?? '')
  await expect(second).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('Escape')
  await expect(heading(page)).toHaveCount(0)
})

browserTest('a click on a half-visible row opens it', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 60, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(rowOf(page, 1)).toBeVisible()
  const number = await page.locator('.list').evaluate((list) => {
    const scroll = list.closest('.scroll')
    const end = scroll?.getBoundingClientRect().bottom ?? 0
    const rows = [...list.querySelectorAll<HTMLElement>('[data-number]')]
    const row = rows.find((one) => one.getBoundingClientRect().bottom > end)
    // Only its first pixels are in sight.
    if (row && scroll) scroll.scrollTop += Math.round(row.getBoundingClientRect().top - end + 14)
    return row?.dataset.number
  })
  const title = page.locator(`[data-number="${number}"] a.title`)
  const box = await title.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 3)
  await page.mouse.down()
  await page.waitForTimeout(200)
  expect((await title.boundingBox())?.y).toBe(box?.y)
  await page.mouse.up()
  await expect(page).toHaveURL(new RegExp(`task=ENG-${number}$`))
})

browserTest('Enter that ends a composition submits nothing', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 1)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await rowOf(page, 1).focus()
  const pressEnter = (how: 'composing' | 'code 229' | 'after the end' | 'later') =>
    page
      .locator('input:focus, textarea:focus, [contenteditable]:focus')
      .evaluate(async (field, how) => {
        const createEnter = () => {
          const init = { key: 'Enter', bubbles: true, cancelable: true }
          const isComposing = how === 'composing'
          const keyCode = how === 'code 229' ? 229 : 13
          return new KeyboardEvent('keydown', { ...init, isComposing, keyCode })
        }
        const isAfter = how === 'after the end' || how === 'later'
        // An event has the time at which it is made, and a slow page takes a while to handle one.
        const end = new CompositionEvent('compositionend', { bubbles: true })
        const enter = createEnter()
        if (isAfter) field.dispatchEvent(end)
        if (how === 'later') await new Promise((resolve) => setTimeout(resolve, 100))
        field.dispatchEvent(how === 'later' ? createEnter() : enter)
      }, how)
  const expectOnlyLaterSubmits = async (expectOpen: () => Promise<void>) => {
    for (const how of ['composing', 'code 229', 'after the end'] as const) {
      await pressEnter(how)
      await expectOpen()
    }
    await pressEnter('later')
  }

  await page.keyboard.press('e')
  const title = page.getByRole('textbox', { name: 'Title of ENG-1' })
  await expect(title).toBeFocused()
  await page.keyboard.type('日本')
  await expectOnlyLaterSubmits(() => expect(title).toBeFocused())
  await expect(rowOf(page, 1)).toContainText('日本')

  await page.keyboard.press('n')
  const added = page.getByRole('combobox', { name: /^New task in/ })
  await expect(added).toBeFocused()
  await page.keyboard.type('新しい')
  await expectOnlyLaterSubmits(() => expect(added).toHaveValue('新しい'))
  await expect(added).toHaveValue('')
  await page.keyboard.press('Escape')

  await page.keyboard.press('Control+k')
  await expect(paletteField(page)).toBeFocused()
  await page.keyboard.type('inbox')
  await expectOnlyLaterSubmits(() => expect(paletteField(page)).toHaveValue('inbox'))
  await expect(paletteField(page)).toHaveCount(0)
})

browserTest('? lists every key of the place, and Ctrl K and Ctrl Z', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 1)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await expect(rowOf(page, 1)).toBeVisible()
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const listed = async (keys: string, label: string) =>
    expect(
      dialog.locator('dl > div').filter({ hasText: label }).filter({ hasText: keys }).first(),
    ).toBeVisible()
  // Without a cursor, too.
  await page.keyboard.press('?')
  await listed('Ctrl K', 'Search or run a command')
  await listed('Ctrl Z', 'Undo')
  await listed('S', 'Status')
  await listed('2', 'Board')
  await page.keyboard.press('Escape')
  await rowOf(page, 1).focus()
  await page.keyboard.press('Enter')
  await expect(heading(page)).toBeFocused()
  await page.keyboard.press('?')
  await listed('M', 'Comment')
  await listed('2', 'Board')
  // The keys of the list are not for the panel.
  await expect(dialog.getByText('Move up', { exact: true })).toHaveCount(0)
})

browserTest('a press on a row shows its task in the panel once it is released', async (fixture) => {
  const { as, team } = fixture
  await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG?task=ENG-1`)
  await expect(heading(page)).toContainText('Task 1')
  const box = await rowOf(page, 3).locator('.what').boundingBox()
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 20, (box?.y ?? 0) + 10)
  await page.mouse.down()
  await expect(rowOf(page, 3)).toBeFocused()
  await page.waitForTimeout(100)
  await expect(heading(page)).toContainText('Task 1')
  await page.mouse.up()
  await expect(heading(page)).toContainText('Task 3')
  await expect(rowOf(page, 3)).toHaveAttribute('aria-current', 'true')
})

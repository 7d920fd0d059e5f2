import type { Locator, Page } from '@playwright/test'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { pressSequence } from '../support/keyboard/press-sequence.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { seedTasks } from '../support/seed.ts'

/** More than any screen has stops of the Tab key before its main control. */
const MAX_TABS = 40

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}

browserTest('the ten main tasks work with the keyboard alone', async (fixture) => {
  const { visitor, team } = fixture
  const { member } = team.people
  await seedTasks(fixture, 1, () => ({
    title: 'Look at the invoice',
    status: 'todo',
    assignee_ids: [member.id],
  }))
  const page = await visitor()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const pick = async (name: string) => {
    await typeInFocusedField(page, name)
    await expect(page.getByRole('option', { name })).toHaveAttribute('data-focused', 'true')
    await press('Enter')
  }
  const row = page.locator('[data-number="2"]')

  // 1. Sign in.
  await page.goto('/sign-in')
  await tabTo(page, page.getByLabel('Email'))
  await page.keyboard.type(member.email)
  await tabTo(page, page.getByLabel('Password', { exact: true }))
  await page.keyboard.type(member.password)
  await press('Enter')
  await page.waitForURL('**/w/**')
  const navigation = page.getByRole('navigation', { name: 'Main', exact: true })
  const inbox = navigation.getByRole('link', { name: /^Inbox/ })
  await expect(inbox).toContainText('1')

  // 2. Open a project.
  await tabTo(page, navigation.getByRole('link', { name: /Engineering/ }))
  await press('Enter')
  await expect(page.locator('[data-number="1"]')).toContainText('Look at the invoice')

  // 3. Create a task.
  await press('c')
  await typeInFocusedField(page, 'Walk the dog')
  await press('Enter', 'Escape')
  await expect(row).toContainText('Walk the dog')

  // 4. Rename it.
  await press('j', 'j')
  await expect(row).toBeFocused()
  await press('e')
  await typeInFocusedField(page, 'Walk both dogs')
  await press('Enter')
  await expect(row).toContainText('Walk both dogs')
  await expect(row).toBeFocused()

  // 5. Change its status.
  await press('s')
  await pick('In progress')
  await expect(row).toHaveAttribute('data-s', 'in_progress')
  await expect(row).toBeFocused()

  // 6. Assign it.
  await press('a')
  await pick(member.name)
  await expect(page.getByRole('option', { name: member.name, selected: true })).toBeVisible()
  await press('Escape')
  await expect(row.getByTitle(member.name)).toBeVisible()
  await expect(row).toBeFocused()

  // 7. Start a timer.
  await press('Shift+S')
  await expect(page.getByText('Timer started on ENG-2')).toBeAttached()

  // 8. Comment.
  await press('Enter')
  const panel = page.getByRole('complementary', { name: 'Task ENG-2' })
  await expect(panel.locator(':focus')).toHaveCount(1)
  await press('m')
  await page.locator('[contenteditable]:focus, textarea:focus').waitFor()
  await page.keyboard.type('Both need a leash')
  await press('ControlOrMeta+Enter')
  await expect(panel.getByRole('article').getByText('Both need a leash')).toBeVisible()

  // 9. Search.
  await press('ControlOrMeta+k')
  await typeInFocusedField(page, 'invoice')
  await press('Tab')
  await page.waitForURL('**/search?q=invoice**')
  const result = page.getByRole('main').getByRole('link', { name: 'Look at the invoice' })
  await result.waitFor()
  await tabTo(page, result)

  // 10. Mark the inbox read.
  await pressSequence(page, 'gi')
  const notification = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
  await notification.first().waitFor()
  await press('j')
  await expect(notification.first().getByRole('link')).toBeFocused()
  await press('u')
  await expect(inbox).not.toContainText('1')
})
